import { asHtml, asText } from '../../../nodes/MessagingService/sendAndWait/message';

const question = {
	message: 'May "A & B" <go>?\nToday',
	links: [
		{ label: 'Yes & <now>', url: 'https://n8n.example/1?approved=true&signature=ab' },
		{ label: 'No', url: 'https://n8n.example/1?approved=false&signature=cd' },
	],
};

test('a text has the message as it is and one line per link', () => {
	expect(asText(question)).toBe(
		'May "A & B" <go>?\nToday\n\n' +
			'Yes & <now>: https://n8n.example/1?approved=true&signature=ab\n' +
			'No: https://n8n.example/1?approved=false&signature=cd',
	);
});

test('HTML has the message and the labels escaped, and the links whole', () => {
	const html = asHtml(question);
	expect(html).toContain('May &quot;A &amp; B&quot; &lt;go&gt;?<br>Today');
	expect(html).toContain('>Yes &amp; &lt;now&gt;</a>');
	const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) =>
		target.replaceAll('&amp;', '&'),
	);
	expect(targets).toEqual(question.links.map(({ url }) => url));
	expect(html).not.toMatch(/<go>|<now>/);
});
