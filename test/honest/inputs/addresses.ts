const signature = 'X-Signature=' + 'a1b2c3d4'.repeat(360);

/** Links to files as storage services, shops and people write them. */
export const links: string[] = [
	'https://host.example/rose.png',
	'https://host.example/files/Rose%20(1).JPG?width=600&height=400',
	`https://files.host.example/bucket/rose.png?X-Expires=900&X-Date=20260201T093000Z&${signature}`,
	'https://files.host.example/a/b/rose.png?se=2026-02-01T09%3A30%3A00Z&sig=%2Bab%2F%3D%3D',
	'https://host.example/download?id=42&name={{rose}}.png',
	'https://host.example/view/rose-png',
	'https://host.example:8443/rose.png#page=2',
	'https://user:word@host.example/rose.png',
	'https://203.0.113.7/rose.png',
	'https://[2001:db8::7]/rose.png',
	'https://shop.host.example/products/rose?variant=null&ref=undefined',
	'https://drive.host.example/file/d/1AbC_dEf-gHi/view?usp=sharing',
	'HTTPS://HOST.EXAMPLE/ROSE.PNG',
];

/** Email addresses as people write them, each with what is sent. */
export const mailboxes: Array<[written: string, sent: string]> = [
	['anna@host.example', 'anna@host.example'],
	['anna+news@host.example', 'anna+news@host.example'],
	['Anna.Null@mail.host.example', 'Anna.Null@mail.host.example'],
	['"Doe, Anna" <anna.doe@host.example>', 'anna.doe@host.example'],
	['Anna <anna1@host.example>', 'anna1@host.example'],
	["o'neil@host.example", "o'neil@host.example"],
	['undefined@host.example', 'undefined@host.example'],
	['1@2.example', '1@2.example'],
	[' ben@host.example ', 'ben@host.example'],
	['ben1@host.example; ben2@host.example', 'ben1@host.example, ben2@host.example'],
	['ben3@host.example,\nben4@host.example,', 'ben3@host.example, ben4@host.example'],
];
