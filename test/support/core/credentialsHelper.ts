import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';

/**
 * Hands out one credential and signs requests with the credential type's own `authenticate`. The
 * real one lives in n8n's server with its database; the end-to-end tests use that.
 */
export class TestCredentialsHelper extends ICredentialsHelper {
	private readonly type: ICredentialType = new MessagingServiceApi();

	constructor(private readonly credential: ICredentialDataDecryptedObject) {
		super();
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	getParentTypes(): string[] {
		return [];
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type;
		if (typeof authenticate !== 'function') throw new Error('authenticate is not a function');
		return await authenticate(credentials, request);
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return { ...this.credential };
	}

	async getCredentials(): Promise<never> {
		throw new Error('Not used by the nodes');
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties() {
		return this.type.properties;
	}
}
