import fc from 'fast-check';
import {
	PhoneNumberFormat,
	PhoneNumberType,
	PhoneNumberUtil,
	type PhoneNumber,
} from 'google-libphonenumber';
import { compact, get, map, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { checkRow } from '../../../nodes/MessagingService/actions/bulkCampaign/rows';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { checkChatPhone, checkVoicePhone } from '../../../nodes/MessagingService/parameters/phone';
import {
	allowedList,
	applyGuards,
	excludedList,
	type Guards,
} from '../../../nodes/MessagingService/parameters/guards';

// Numbers and spellings come from Google's library, so that the test does not share the code's assumptions.
const library = PhoneNumberUtil.getInstance();
const regions = library.getSupportedRegions();
const types = Object.values(PhoneNumberType).filter((one) => typeof one === 'number');

interface Example {
	/** The number in E.164 without `+`. */
	digits: string;
	number: PhoneNumber;
	region: string;
	/** A region to call from. */
	from: string;
}

/** An example of every region and type. */
const examples: Example[] = uniqBy(
	regions.flatMap((region) =>
		types.flatMap((type) => {
			const number: PhoneNumber | null = library.getExampleNumberForType(region, type);
			if (!number) return [];
			return { digits: library.format(number, PhoneNumberFormat.E164).slice(1), number, region };
		}),
	),
	'digits',
).map((one, index) => ({ ...one, from: regions[index % regions.length] ?? '' }));

const international = ({ number }: Example) =>
	library.format(number, PhoneNumberFormat.INTERNATIONAL);
const moved = (text: string, pattern: RegExp, by: number) =>
	text.replace(pattern, (one) => String.fromCodePoint(by + (one.codePointAt(0) ?? 0)));

/** Spellings that show the country code. */
const withCode: Record<string, (example: Example) => string> = {
	'E.164': ({ digits }) => `+${digits}`,
	international,
	'international in parentheses': (one) => international(one).replace(/^\+\d+/, '($&)'),
	'full width': (one) => moved(international(one), /[!-~]/g, 0xfee0).replaceAll(' ', '\u3000'),
	'Arabic digits': (one) => moved(international(one), /\d/g, 0x630),
	'Devanagari digits': ({ digits }) => `+${moved(digits, /\d/g, 0x936)}`,
};

/** Spellings that do not. */
const withoutCode: Record<string, (example: Example) => string> = {
	'no plus': ({ digits }) => digits,
	'a plus behind': ({ digits }) => `${digits} +`,
	national: ({ number }) => library.format(number, PhoneNumberFormat.NATIONAL),
	'trunk prefix': ({ number, region }) =>
		`${library.getNddPrefixForRegion(region, true) ?? ''} ${library.getNationalSignificantNumber(number)}`,
	'00': ({ digits }) => `00${digits}`,
	'011': ({ digits }) => `011 ${digits}`,
	'0011': ({ digits }) => `0011 ${digits}`,
	// The library writes `~` where a caller waits for a tone.
	'from abroad': ({ number, from }) =>
		library.formatOutOfCountryCallingNumber(number, from).replace('~', ' '),
};

interface Case {
	name: string;
	example: Example;
	written: string;
	/** Its digits, if a person reads them without a table of countries. */
	digits: string;
	hasPlus: boolean;
}

const casesOf = (spellings: typeof withCode, isCodeShown: boolean): Case[] =>
	Object.entries(spellings).flatMap(([name, spell]) =>
		examples.map((example) => {
			const written = spell(example);
			const digits = isCodeShown ? example.digits : written.replace(/\D/g, '');
			const hasPlus = isCodeShown || written.startsWith('+');
			return { name: `${name}, ${example.region}: ${written}`, example, written, digits, hasPlus };
		}),
	);

const cases = [...casesOf(withCode, true), ...casesOf(withoutCode, false)];

const isBetween = (digits: string, least: number) => digits.length >= least && digits.length <= 15;

const { sendText, placeCall } = endpoints;

/** A row of a campaign as it is sent, or why it is not. */
const rowOf = (phone: string, guards: Guards = {}) => {
	const row = { recipient: { phone }, fields: {}, items: [0], place: { row: 1 }, name: 'row 1' };
	return checkRow(row, false, { countryCodes: [], isPrivate: false }, guards);
};

type Channel = (one: Case, codes: string[]) => unknown;

const channels: Array<[name: string, least: number, codes: string[], Channel]> = [
	['chat', 7, [], ({ written }) => checkChatPhone(written)],
	['campaigns', 7, [], ({ written }) => rowOf(written).checked],
	['calls', 10, [], ({ written }) => checkVoicePhone(written)],
	[
		'calls with codes',
		10,
		[...'123456789'],
		({ written }, codes) => checkVoicePhone(written, codes),
	],
];

test.each(channels)('%s: a spelling reaches its digits or nobody', (name, least, codes, check) => {
	const isCall = name.startsWith('calls');
	const reached = cases.map((one) => [one.name, get(check(one, codes), 'phone')]);
	const expected = cases.map((one) => {
		const isSent = !one.digits.startsWith('0') && isBetween(one.digits, least);
		const plus = isCall && (one.hasPlus || codes.length > 0) ? '+' : '';
		return [one.name, isSent ? `${plus}${one.digits}` : undefined];
	});
	expect(reached).toEqual(expected);
	// Half of what is tried is sent.
	expect(compact(map(reached, '1')).length).toBeGreaterThan(cases.length / 2);
});

test('a call to an allowed number has its country code', () => {
	const callable = examples.filter(({ digits }) => isBetween(digits, 10));
	const called = callable.map((example) => {
		const body: IDataObject = { to: example.digits };
		const allowed = allowedList.parse([international(example), '@host.example']);
		applyGuards({ endpoint: placeCall, body }, { allowed });
		return body.to;
	});
	expect(called).toEqual(callable.map(({ digits }) => `+${digits}`));
});

/** Whether an opt-out stops a request to a number; its problem if it can't be read. */
function stops(optOut: string, endpoint: Endpoint, body: IDataObject): unknown {
	const { data: excluded, error } = excludedList.safeParse([optOut]);
	return excluded
		? applyGuards({ endpoint, body }, { excluded }).excludedRecord !== undefined
		: error?.issues[0]?.message;
}

describe('an opt-out in every spelling stops its number', () => {
	/** Without the zeros of trunk and international prefixes. */
	const bare = ({ digits }: Case) => digits.replace(/^0+/, '');
	/** The national numbers of the Marshall Islands have seven digits, and their trunk prefix is 1. */
	const isMissed = ({ name }: Case) => name.startsWith('trunk prefix, MH');
	const askable = cases.filter(({ example }) => isBetween(example.digits, 7));

	test.each<[string, (one: Case) => unknown]>([
		['chat', ({ written, example }) => stops(written, sendText, { phone: example.digits })],
		['calls', ({ written, example }) => stops(written, placeCall, { to: `+${example.digits}` })],
		[
			'calls without code',
			({ written, example }) => stops(written, placeCall, { to: example.digits }),
		],
	])('%s', (_name, ends) => {
		expect(askable.map((one) => [one.name, ends(one)])).toEqual(
			askable.map((one) => [
				one.name,
				!isBetween(bare(one), 7)
					? (expect.stringContaining('needs 7 to 15 digits') as string)
					: !isMissed(one),
			]),
		);
	});

	test('campaigns', () => {
		const readable = askable.filter((one) => isBetween(bare(one), 7) && !isMissed(one));
		const excluded = excludedList.parse(map(readable, 'written'));
		const fates = map(examples, ({ digits }) => rowOf(digits, { excluded }).notSent);
		const [other, ...others] = fates.filter((fate) => fate?.reason !== 'excluded');
		expect(other?.problem).toContain('needs 7 to 15 digits');
		expect(others).toEqual([]);
	});
});

test('of 100,000 pairs of numbers, those with the same last eight digits exclude each other', () => {
	const codes = [...new Set(regions.map((region) => library.getCountryCodeForRegion(region)))];
	const front = fc
		.tuple(fc.constantFrom(...codes), fc.nat(99))
		.map(([code, area]) => `${code}${area}`);
	const ending = fc.nat(99_999_999).map((one) => String(one).padStart(8, '0'));
	const nearly = (text: string) =>
		fc
			.tuple(fc.nat(7), fc.nat(9))
			.map(([at, digit]) => `${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
	const pair = ending.chain((end) => {
		const others = fc.oneof(fc.constant(end), nearly(end), ending);
		const before = fc.constantFrom('+', '', '00', '011 ', '( +');
		return fc.tuple(front, fc.constant(end), before, front, others);
	});
	const wrong: unknown[] = [];
	const counts: [number, number] = [0, 0];
	for (const [start, end, before, otherStart, otherEnd] of fc.sample(pair, 100_000)) {
		const isSame = end === otherEnd;
		counts[isSame ? 1 : 0]++;
		const isStopped = stops(before + otherStart + otherEnd, sendText, { phone: start + end });
		if (isStopped !== isSame) wrong.push([start, end, before, otherStart, otherEnd]);
	}
	expect(wrong).toEqual([]);
	expect(Math.min(...counts)).toBeGreaterThan(25_000);
});
