import { INITIAL_TEMPLATES, TEXTS } from '../choices';
import { COSTS, type TemplateCategory } from '../documented';
import { ServiceError } from '../http/serviceError';

export interface Template {
	name: string;
	category: TemplateCategory;
	approved: boolean;
	/** The only language it is approved for; any when absent. */
	language?: string;
	/** How many body values it takes; any when absent. */
	parameterCount?: number;
}

/** Message templates by name. */
export class Templates {
	private readonly byName = new Map(INITIAL_TEMPLATES.map((one) => [one.name, { ...one }]));

	set(template: Template): void {
		this.byName.set(template.name, template);
	}

	list(): Template[] {
		return [...this.byName.values()];
	}

	/** The approved template, or 400 (docs/service.md, section 4.5). */
	require(name: string, language: string): Template {
		const template = this.byName.get(name);
		if (!template?.approved) throw new ServiceError(400, TEXTS.template(name));
		if (template.language !== undefined && template.language !== language) {
			throw new ServiceError(400, TEXTS.templateLanguage(name, language));
		}
		return template;
	}
}

/** Refuses a wrong number of body values with 400. */
export function requireParameters(template: Template, values: readonly string[]): void {
	const { name, parameterCount } = template;
	if (parameterCount !== undefined && parameterCount !== values.length) {
		throw new ServiceError(400, TEXTS.templateParameters(name, parameterCount));
	}
}

/** Credits per message (docs/service.md, section 8.2). */
export function templateCost(template: Template): number {
	return COSTS.template[template.category];
}
