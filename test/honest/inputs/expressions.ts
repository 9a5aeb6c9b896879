import type { IDataObject } from 'n8n-workflow';

/** A parameter with expressions, and the text that reaches the recipient. */
export interface Written {
	/** As n8n saves the parameter. */
	parameter: string;
	/** What the item has besides `order`. */
	item?: IDataObject;
	text: string;
}

/** What every item has, and the node "Order" before it. */
export const order: IDataObject = {
	id: 1042,
	name: 'Anna Null',
	total: 12.5,
	paid: true,
	title: null,
	note: '',
	lang: 'fr',
	created: '2026-02-01T09:30:00.000Z',
	lines: [
		{ product: 'Rose', count: 3 },
		{ product: 'Tulip', count: 0 },
	],
	address: { town: 'Pune', zip: null },
	'First Name': 'Anna',
	'a-b': 'dash',
};

/** Expressions whose values are texts, numbers, switches or null. */
export const expressions: Written[] = [
	// Conditions and fallbacks.
	{ parameter: '=Dear {{ $json.name || "customer" }}', text: 'Dear Anna Null' },
	{ parameter: '=Dear {{ $json.nickname || "customer" }}', text: 'Dear customer' },
	{ parameter: '=Dear {{ $json.nickname ?? "customer" }}', text: 'Dear customer' },
	{ parameter: '=Hi{{ $json.nickname ? " " + $json.nickname : "" }}!', text: 'Hi!' },
	{ parameter: '=Note: {{ $json.nickname ?? "" }}.', text: 'Note: .' },
	{ parameter: '=Note: {{ $json.note }}.', text: 'Note: .' },
	{ parameter: '=Note: {{ $json.note || "none" }}', text: 'Note: none' },
	{ parameter: '=It is {{ $json.paid ? "paid" : "open" }}.', text: 'It is paid.' },
	{ parameter: '=It is {{ $if($json.paid, "paid", "open") }}.', text: 'It is paid.' },
	{ parameter: '=It is {{ $json.paid == "true" ? "paid" : "open" }}.', text: 'It is open.' },
	{ parameter: '={{ $ifEmpty($json.note, "Nothing to add") }}', text: 'Nothing to add' },
	{ parameter: '={{ $json.a?.b?.c ?? "no such field" }}', text: 'no such field' },
	{ parameter: '={{ $json.total > 10 && $json.paid }}', text: 'true' },
	{ parameter: '={{ $json.total > 100 || "small" }}', text: 'small' },
	{
		parameter: '=Paid: {{ $json.paid }}, open: {{ !$json.paid }}',
		text: 'Paid: true, open: false',
	},
	{ parameter: '={{ ({ de: "Hallo", fr: "Bonjour" })[$json.lang] ?? "Hello" }}', text: 'Bonjour' },
	{ parameter: '={{ { de: "Hallo" }[$json.lang] || "Hello" }}', text: 'Hello' },
	{
		parameter: '={{ (() => { if ($json.paid) { return "Thank you" } return "Please pay" })() }}',
		text: 'Thank you',
	},
	{ parameter: '={{ /* by plan */ $json.paid ? "gold" : "none" }}', text: 'gold' },
	{ parameter: '={{\n\t$json.paid\n\t\t? "paid"\n\t\t: "open"\n}}', text: 'paid' },
	// Null is an empty text.
	{ parameter: '=Dear {{ $json.title }} {{ $json.name }},', text: 'Dear  Anna Null,' },
	{ parameter: '=Pune {{ $json.address.zip }}', text: 'Pune ' },
	{ parameter: '=Result: {{ $json.name.match(/x/) }}', text: 'Result: ' },
	// Lists and objects that become text.
	{
		parameter: '=Products: {{ $json.lines.map((l) => l.product).join(", ") }}',
		text: 'Products: Rose, Tulip',
	},
	{
		parameter: '={{ $json.lines.map((l) => `${l.count} × ${l.product}`).join("\\n") }}',
		text: '3 × Rose\n0 × Tulip',
	},
	{
		parameter:
			'={{ $json.lines.filter((l) => l.count > 5).map((l) => l.product).join() || "none" }}',
		text: 'none',
	},
	{
		parameter: '=First: {{ $json.lines[0].product }} of {{ $json.lines.length }}',
		text: 'First: Rose of 2',
	},
	{
		parameter: '=JSON: {{ JSON.stringify($json.address) }}',
		text: 'JSON: {"town":"Pune","zip":null}',
	},
	{
		parameter: '=JSON: {{ $json.address.toJsonString() }}',
		text: 'JSON: {"town":"Pune","zip":null}',
	},
	{ parameter: '={{ Object.keys($json.address).join(" ") }}', text: 'town zip' },
	// Numbers, dates and texts.
	{ parameter: '=Total {{ $json.total.toFixed(2) }} EUR', text: 'Total 12.50 EUR' },
	{ parameter: '={{ $json.total * 3 }}', text: '37.5' },
	{ parameter: '={{ 0.1 + 0.2 }}', text: '0.30000000000000004' },
	{ parameter: '=No. {{ $json.id - 42 }}-{{ $json["a-b"] }}', text: 'No. 1000-dash' },
	{ parameter: '={{ 0 }}', text: '0' },
	{ parameter: '={{ false }}', text: 'false' },
	{ parameter: '={{ "" + null }}', text: 'null' },
	{ parameter: '={{ String(undefined) }}', text: 'undefined' },
	{
		parameter:
			'=On {{ DateTime.fromISO($json.created).setZone("utc").toFormat("d LLL yyyy, HH:mm") }}',
		text: 'On 1 Feb 2026, 09:30',
	},
	{ parameter: '={{ $json.created.toDateTime().setZone("utc").format("MM/dd") }}', text: '02/01' },
	{ parameter: '=Since {{ $json.created }}', text: 'Since 2026-02-01T09:30:00.000Z' },
	{ parameter: '={{ DateTime.fromISO("none").toFormat("D") }}', text: 'Invalid DateTime' },
	{ parameter: '={{ $json.name.toUpperCase() }}', text: 'ANNA NULL' },
	{ parameter: '={{ $json.name.split(" ")[0].toTitleCase() }}', text: 'Anna' },
	{ parameter: "={{ $json['First Name'] }}", text: 'Anna' },
	{ parameter: '={{$json.name}}', text: 'Anna Null' },
	{
		parameter: '={{ `Dear ${$json["First Name"]}, {name} is your user name` }}',
		text: 'Dear Anna, {name} is your user name',
	},
	{ parameter: '={{ "Write {" + "{name}" + "} there" }}', text: 'Write {{name}} there' },
	{
		parameter: '=Write \\{{ name }} there, {{ $json.name }}',
		text: 'Write \\{{ name }} there, Anna Null',
	},
	{
		parameter: '=No expression, {name}, ${price} and }} here',
		text: 'No expression, {name}, ${price} and }} here',
	},
	{
		parameter: '=<p style="a{b}">{{ $json.name }}</p><a href="#">x',
		text: '<p style="a{b}">Anna Null</p><a href="#">x',
	},
	// Other nodes and the run.
	{ parameter: '=Order {{ $node["Order"].json.id }}', text: 'Order 1042' },
	{ parameter: '=Order {{ $node.Order.json["id"] }}', text: 'Order 1042' },
	{ parameter: '=Order {{ $("Order").item.json.id }}', text: 'Order 1042' },
	{ parameter: '=Order {{ $("Order").first().json.id }}', text: 'Order 1042' },
	{ parameter: '={{ $("Order").all()[0].json.name }}', text: 'Anna Null' },
	{ parameter: '={{ $("Order").isExecuted ? "seen" : "skipped" }}', text: 'seen' },
	{ parameter: '={{ $input.item.json.name }}', text: 'Anna Null' },
	{ parameter: '={{ $input.first().json.id }}', text: '1042' },
	{ parameter: '=Round {{ $runIndex + 1 }}', text: 'Round 1' },
	{ parameter: '={{ $jmespath($json, "address.town") }}', text: 'Pune' },
	{
		parameter: '=New {{ $json.event }} for {{ $json.data.templateName ?? "a text" }}',
		item: { event: 'message.delivered', data: { to: '447700900210' } },
		text: 'New message.delivered for a text',
	},
	{
		parameter: '=Workflow {{ $json.workflow.name }}: {{ $json.execution.error.message }}',
		item: {
			workflow: { name: 'Orders' },
			execution: { error: { message: 'Cannot read properties of undefined' } },
		},
		text: 'Workflow Orders: Cannot read properties of undefined',
	},
];

/** Expressions inside a longer text that return undefined: a run by hand rejects them, and production sends. */
export const undefinedInText: Written[] = [
	{ parameter: '=Dear {{ $json.nam }},', text: 'Dear ,' },
	{ parameter: '=Town: {{ $json.shipping?.town }}', text: 'Town: ' },
	{ parameter: '=First {{ $json.lines[7]?.product }}!', text: 'First !' },
	{ parameter: '=Empty: {{ $json.lines.find((l) => l.count > 5)?.product }}', text: 'Empty: ' },
	{ parameter: '=Order {{ $node["Order"].json.number }} is ready', text: 'Order  is ready' },
	{ parameter: '=Order {{ $("Order").item.json.number }} is ready', text: 'Order  is ready' },
	{ parameter: '=Code {{ ({ de: "D" })[$json.lang] }}', text: 'Code ' },
	{ parameter: '=Yes{{ $json.paid ? undefined : " please" }}', text: 'Yes' },
];
