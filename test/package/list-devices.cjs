// `node list-devices.cjs MODULE FILE`: writes what the Vulkan flavour of the addon finds into FILE, or why the module cannot
// be loaded. A file, since Node in wine cannot use pipes of Linux.
const { writeFileSync } = require('node:fs');

const [module_, file] = process.argv.slice(2);
let found;
try {
  found = { devices: require(module_).devices() };
} catch (error) {
  found = { error: error.message };
}
writeFileSync(file, JSON.stringify(found));
