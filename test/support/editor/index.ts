export { CredentialDialog } from './credentialDialog';
export { Editor } from './editor';
export { NodePanel } from './nodePanel';
export { NodeView } from './nodeView';
export { takePicture } from './picture';
