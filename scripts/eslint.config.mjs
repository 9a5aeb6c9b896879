export { default } from '../eslint.developer.mjs';
