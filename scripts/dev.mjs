/**
 * `npm run dev`: the server, started again at every change of its sources, and the console with hot
 * reload in front of it.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { become, findProgram, install, ROOT } from './prepare.mjs'

const node = install()
const folder = join(ROOT, 'apps/console')
const server = `http://127.0.0.1:${process.env.SALLYPORT_HTTP_PORT || 8080}`
const vite = spawn(node, [findProgram('vite', folder)], {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, SALLYPORT_SERVER: server },
})
process.on('exit', () => vite.kill())
const watched = ['apps/server/src', 'apps/server/migrations', 'packages/contract/src'].map(
  (path) => `--watch-path=${join(ROOT, path)}`,
)
become(node, [
  '--watch',
  ...watched,
  '--watch-preserve-output',
  join(ROOT, 'apps/server/src/main.ts'),
  ...process.argv.slice(2),
])
