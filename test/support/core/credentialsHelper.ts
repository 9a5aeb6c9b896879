import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	ICredentialType,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';

const type: ICredentialType = new MessagingServiceApi();

/**
 * Hands out one credential and signs requests with the credential type's own `authenticate`. The
 * real one lives in n8n's server with its database; the end-to-end tests use that.
 */
export const credentialsHelper = (credential: ICredentialDataDecryptedObject): ICredentialsHelper =>
	({
		isCredentialUsableByNode: () => true,
		getParentTypes: () => [],
		authenticate: async (
			credentials: ICredentialDataDecryptedObject,
			_typeName: string,
			request: IHttpRequestOptions,
		) => {
			const { authenticate } = type;
			if (typeof authenticate !== 'function') throw new Error('authenticate is not a function');
			return await authenticate(credentials, request);
		},
		preAuthentication: async () => await Promise.resolve(),
		runPreAuthentication: async () => await Promise.resolve(),
		getDecrypted: async () => await Promise.resolve({ ...credential }),
		getCredentialsProperties: () => type.properties,
	}) as unknown as ICredentialsHelper;
