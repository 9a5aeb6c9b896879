import type { IDataObject } from 'n8n-workflow';

/** A parameter with expressions, and the text that reaches the recipient. */
export interface Written {
	/** As n8n saves the parameter. */
	parameter: string;
	/** What the item has besides `order`. */
	item?: IDataObject;
	text: string;
}

const written = (all: Array<[parameter: string, text: string, item?: IDataObject]>): Written[] =>
	all.map(([parameter, text, item]) => ({ parameter, text, item }));

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
export const expressions = written([
	// Conditions and fallbacks.
	['=Dear {{ $json.name || "customer" }}', 'Dear Anna Null'],
	['=Dear {{ $json.nickname || "customer" }}', 'Dear customer'],
	['=Dear {{ $json.nickname ?? "customer" }}', 'Dear customer'],
	['=Hi{{ $json.nickname ? " " + $json.nickname : "" }}!', 'Hi!'],
	['=Note: {{ $json.nickname ?? "" }}.', 'Note: .'],
	['=Note: {{ $json.note }}.', 'Note: .'],
	['=Note: {{ $json.note || "none" }}', 'Note: none'],
	['=It is {{ $json.paid ? "paid" : "open" }}.', 'It is paid.'],
	['=It is {{ $if($json.paid, "paid", "open") }}.', 'It is paid.'],
	['=It is {{ $json.paid == "true" ? "paid" : "open" }}.', 'It is open.'],
	['={{ $ifEmpty($json.note, "Nothing to add") }}', 'Nothing to add'],
	['={{ $json.a?.b?.c ?? "no such field" }}', 'no such field'],
	['={{ $json.total > 10 && $json.paid }}', 'true'],
	['={{ $json.total > 100 || "small" }}', 'small'],
	['=Paid: {{ $json.paid }}, open: {{ !$json.paid }}', 'Paid: true, open: false'],
	['={{ ({ de: "Hallo", fr: "Bonjour" })[$json.lang] ?? "Hello" }}', 'Bonjour'],
	['={{ { de: "Hallo" }[$json.lang] || "Hello" }}', 'Hello'],
	['={{ (() => { if ($json.paid) { return "Thank you" } return "Please pay" })() }}', 'Thank you'],
	['={{ /* by plan */ $json.paid ? "gold" : "none" }}', 'gold'],
	['={{\n\t$json.paid\n\t\t? "paid"\n\t\t: "open"\n}}', 'paid'],
	// Null is an empty text.
	['=Dear {{ $json.title }} {{ $json.name }},', 'Dear  Anna Null,'],
	['=Pune {{ $json.address.zip }}', 'Pune '],
	['=Result: {{ $json.name.match(/x/) }}', 'Result: '],
	// Lists and objects that become text.
	['=Products: {{ $json.lines.map((l) => l.product).join(", ") }}', 'Products: Rose, Tulip'],
	['={{ $json.lines.map((l) => `${l.count} × ${l.product}`).join("\\n") }}', '3 × Rose\n0 × Tulip'],
	['={{ $json.lines.filter((l) => l.count > 5).map((l) => l.product).join() || "none" }}', 'none'],
	['=First: {{ $json.lines[0].product }} of {{ $json.lines.length }}', 'First: Rose of 2'],
	['=JSON: {{ JSON.stringify($json.address) }}', 'JSON: {"town":"Pune","zip":null}'],
	['=JSON: {{ $json.address.toJsonString() }}', 'JSON: {"town":"Pune","zip":null}'],
	['={{ Object.keys($json.address).join(" ") }}', 'town zip'],
	// Numbers, dates and texts.
	['=Total {{ $json.total.toFixed(2) }} EUR', 'Total 12.50 EUR'],
	['={{ $json.total * 3 }}', '37.5'],
	['={{ 0.1 + 0.2 }}', '0.30000000000000004'],
	['=No. {{ $json.id - 42 }}-{{ $json["a-b"] }}', 'No. 1000-dash'],
	['={{ 0 }}', '0'],
	['={{ false }}', 'false'],
	['={{ "" + null }}', 'null'],
	['={{ String(undefined) }}', 'undefined'],
	[
		'=On {{ DateTime.fromISO($json.created).setZone("utc").toFormat("d LLL yyyy, HH:mm") }}',
		'On 1 Feb 2026, 09:30',
	],
	['={{ $json.created.toDateTime().setZone("utc").format("MM/dd") }}', '02/01'],
	['=Since {{ $json.created }}', 'Since 2026-02-01T09:30:00.000Z'],
	['={{ DateTime.fromISO("none").toFormat("D") }}', 'Invalid DateTime'],
	['={{ $json.name.toUpperCase() }}', 'ANNA NULL'],
	['={{ $json.name.split(" ")[0].toTitleCase() }}', 'Anna'],
	["={{ $json['First Name'] }}", 'Anna'],
	['={{$json.name}}', 'Anna Null'],
	[
		'={{ `Dear ${$json["First Name"]}, {name} is your user name` }}',
		'Dear Anna, {name} is your user name',
	],
	['={{ "Write {" + "{name}" + "} there" }}', 'Write {{name}} there'],
	['=Write \\{{ name }} there, {{ $json.name }}', 'Write \\{{ name }} there, Anna Null'],
	['=No. {{ $json.id }} is {{ open', 'No. 1042 is '],
	['=No expression, {name}, ${price} and }} here', 'No expression, {name}, ${price} and }} here'],
	[
		'=<p style="a{b}">{{ $json.name }}</p><a href="#">x',
		'<p style="a{b}">Anna Null</p><a href="#">x',
	],
	// Other nodes and the run.
	['=Order {{ $node["Order"].json.id }}', 'Order 1042'],
	['=Order {{ $node.Order.json["id"] }}', 'Order 1042'],
	['=Order {{ $("Order").item.json.id }}', 'Order 1042'],
	['=Order {{ $("Order").first().json.id }}', 'Order 1042'],
	['={{ $("Order").all()[0].json.name }}', 'Anna Null'],
	['={{ $("Order").isExecuted ? "seen" : "skipped" }}', 'seen'],
	['={{ $input.item.json.name }}', 'Anna Null'],
	['={{ $input.first().json.id }}', '1042'],
	['=Round {{ $runIndex + 1 }}', 'Round 1'],
	['={{ $jmespath($json, "address.town") }}', 'Pune'],
	[
		'=New {{ $json.event }} for {{ $json.data.templateName ?? "a text" }}',
		'New message.delivered for a text',
		{ event: 'message.delivered', data: { to: '447700900210' } },
	],
	[
		'=Workflow {{ $json.workflow.name }}: {{ $json.execution.error.message }}',
		'Workflow Orders: Cannot read properties of undefined',
		{
			workflow: { name: 'Orders' },
			execution: { error: { message: 'Cannot read properties of undefined' } },
		},
	],
]);

/** Expressions inside a longer text that return undefined: a run by hand rejects them, and production sends. */
export const undefinedInText = written([
	['=Dear {{ $json.nam }},', 'Dear ,'],
	['=Town: {{ $json.shipping?.town }}', 'Town: '],
	['=First {{ $json.lines[7]?.product }}!', 'First !'],
	['=Empty: {{ $json.lines.find((l) => l.count > 5)?.product }}', 'Empty: '],
	['=Order {{ $node["Order"].json.number }} is ready', 'Order  is ready'],
	['=Order {{ $("Order").item.json.number }} is ready', 'Order  is ready'],
	['=Code {{ ({ de: "D" })[$json.lang] }}', 'Code '],
	['=Yes{{ $json.paid ? undefined : " please" }}', 'Yes'],
]);
