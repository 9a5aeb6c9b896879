/** When the source of the running workflow handed its items on; one workflow runs at a time. */
let handedOn = NaN;

/** Called by a source as the last thing it does. */
exports.start = () => {
	handedOn = performance.now();
};

/** Milliseconds since then. */
exports.elapsed = () => performance.now() - handedOn;
