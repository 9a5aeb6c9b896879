/** Loads the package in a folder as n8n does at its start; n8n's own modules are there already. */
import { createRequire, Module } from 'node:module';
import path from 'node:path';

const { folder } = JSON.parse(process.argv[2]);
const n8n = path.join(process.env.HOST, 'node_modules/n8n/package.json');
const require = createRequire(n8n);
const { PackageDirectoryLoader } = require('n8n-core');
for (const name of ['n8n-workflow', 'zod', 'lodash', 'luxon']) require(name);
// As n8n does it: packages of the community find n8n's own modules.
process.env.NODE_PATH = path.join(process.env.HOST, 'node_modules');
Module._initPaths();
const start = performance.now();
const loader = new PackageDirectoryLoader(folder);
await loader.loadAll();
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, nodes: Object.keys(loader.known.nodes).length }));
process.exit();
