/** Runs one benchmark by its name; what follows the name is its own command line: `npm run bench api -- --rows 200000`. */
const [name = "start"] = process.argv.splice(2, 1);
await import(`./${name}.js`);
