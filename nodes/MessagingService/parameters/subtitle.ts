/**
 * What n8n shows below the name of a node: the label of what is chosen in it.
 *
 * @param labels by the value of the choice
 * @param choice an expression that gives this value
 */
export const subtitleOf = (labels: Record<string, string>, choice: string): string =>
	`={{ (${JSON.stringify(labels)})[${choice}] }}`;
