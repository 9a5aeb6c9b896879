/** `npm run soak`. Only the check of Node is imported at once: the rest needs a Node that is not old. */
import './lib/requireNode.mjs';

import('./lib/soakCommand.mjs');
