import type { ReadValue } from '../parameters/read';
import { oneOf, trimmed } from '../parameters/schemas';

/** Texts that apply where the user leaves one empty. */
export const presets = {
	approve: 'Approve',
	decline: 'Decline',
	respond: 'Respond',
	submit: 'Submit',
};

const approval = 'approvalOptions.values';

/** Whether the recipient writes a text instead of choosing. */
export const asksForText = (read: ReadValue): boolean =>
	read('responseType', 'Response Type', oneOf(['approval', 'freeText'] as const)) === 'freeText';

/** Whether the recipient may decline. */
export const mayDecline = (read: ReadValue): boolean =>
	read(`${approval}.approvalType`, 'Type of Approval', trimmed) === 'double';

/** Label of the answer that approves or declines. */
export const labelOf = (read: ReadValue, approved: boolean): string =>
	approved
		? read(`${approval}.approveLabel`, 'Approve Button Label', trimmed) || presets.approve
		: read(`${approval}.disapproveLabel`, 'Disapprove Button Label', trimmed) || presets.decline;

/** Label of the link to the page for a text. */
export const respondLabel = (read: ReadValue): string =>
	read('options.messageButtonLabel', 'Message Button Label', trimmed) || presets.respond;

/** Title and text of the page that a link opens, and the label of its button. */
export function readPage(
	read: ReadValue,
	approved: boolean,
): { title: string; text: string; button: string } {
	const isText = asksForText(read);
	const own = (name: string, label: string) => read(`options.responseForm${name}`, label, trimmed);
	return {
		title:
			own('Title', 'Response Form Title') || (isText ? 'Your response' : 'Confirm your response'),
		text: own('Description', 'Response Form Description') || read('message', 'Message', trimmed),
		button: isText
			? own('ButtonLabel', 'Response Form Button Label') || presets.submit
			: labelOf(read, approved),
	};
}
