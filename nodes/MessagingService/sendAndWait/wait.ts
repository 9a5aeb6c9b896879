import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Lets the execution wait for the answer to what was sent, and says so where more input came than
 * one message is made from.
 */
export async function wait(context: IExecuteFunctions, until: Date): Promise<void> {
	const { length } = context.getInputData();
	if (length > 1) {
		context.addExecutionHints({
			message: `One message was sent for all ${length} input items, with the values of the first. Its answer continues the workflow with one item.`,
			location: 'outputPane',
		});
	}
	requireSignature(context);
	await context.putExecutionToWait(until);
}

/** Newer versions of n8n check the signature of every link by themselves and have no such method. */
function requireSignature(
	context: IExecuteFunctions & { setSignatureValidationRequired?(): void },
) {
	context.setSignatureValidationRequired?.();
}
