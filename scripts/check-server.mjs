/**
 * `node scripts/check-server.mjs`: checks the types of the server and of the browser tests, and the
 * server's promises. `npm run types` and `check-promises.mjs` find the same, but the compiler reads the
 * server for each of the three: its files are what the browser tests import. Here they are read once,
 * and checked once. Prints what it finds and ends with 1.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { API } from 'typescript/unstable/sync'
import { isOfServer, promiseFaultsOf } from './check-promises.mjs'
import { ROOT } from './prepare.mjs'

/** Checked with each project: its files, and such as no other project has. */
const OWN = {
  // First: what it reads of the server is known when the server's turn comes.
  e2e: (path) => !/^(apps|packages)\//.test(path),
  'apps/server': (path) => path.startsWith('apps/server/'),
}

/**
 * Faults of types in one project, as `path:line: fault`. Not asked for is what is wrong with types that
 * the language itself needs: without one of them each file has faults, and to ask costs as much as all
 * of the browser tests.
 * @param project of the compiler
 * @param {(path: string) => boolean} isOwn which of its files, by their path from the root on
 */
export function typeFaultsOf({ program }, isOwn) {
  const names = program
    .getSourceFileNames()
    .filter((name) => !name.includes('/node_modules/') && isOwn(relative(ROOT, name)))
  const found = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getProgramDiagnostics(),
    ...names.flatMap((name) => [...program.getSyntacticDiagnostics(name), ...program.getSemanticDiagnostics(name)]),
  ]
  return { faults: found.map(written), count: names.length }
}

function written(fault) {
  const place = fault.fileName
    ? `${relative(ROOT, fault.fileName)}:${readFileSync(fault.fileName, 'utf8').slice(0, fault.pos).split('\n').length}: `
    : ''
  return `${place}${textOf(fault)} (TS${fault.code})`
}

/** With what it follows from, each a line. */
const textOf = ({ text, messageChain = [] }) => [text, ...messageChain.map(textOf)].join('\n  ')

function check() {
  const api = new API({ cwd: ROOT })
  const faults = []
  try {
    for (const [folder, isOwn] of Object.entries(OWN)) {
      const config = join(ROOT, folder, 'tsconfig.json')
      const project = api
        .updateSnapshot({ openProjects: [config] })
        .getProjects()
        .find(({ configFileName }) => configFileName === config)
      const types = typeFaultsOf(project, isOwn)
      faults.push(...types.faults)
      console.log(`types of ${types.count} files of ${folder} are checked`)
      if (folder !== 'apps/server') continue
      const promises = promiseFaultsOf(project, config, isOfServer)
      faults.push(...promises.faults)
      console.log(`promises of ${promises.count} files are looked at`)
    }
  } finally {
    api.close()
  }
  for (const fault of faults) console.error(fault)
  return faults.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = check() ? 0 : 1
