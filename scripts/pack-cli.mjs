/**
 * `node scripts/pack-cli.mjs`: the command line as one npm package without dependencies, in `dist/`.
 * Node does not run TypeScript below node_modules, so it is bundled to one file.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { ROOT } from './prepare.mjs'

const CLI = join(ROOT, 'packages/cli')

/** Writes the package's files into a folder. */
export async function writeCli(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const bundle = await rolldown({ input: join(CLI, 'src/main.ts'), cwd: ROOT, platform: 'node', tsconfig: false })
  const file = join(folder, 'sallyport.js')
  await bundle.write({ file, format: 'esm', banner: '#!/usr/bin/env node', codeSplitting: false })
  chmodSync(file, 0o755)
  const { name, version, description, type, license, engines } = JSON.parse(
    readFileSync(join(CLI, 'package.json'), 'utf8'),
  )
  const about = { name, version, description, type, license, engines, bin: { sallyport: './sallyport.js' } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(ROOT, 'docs/command-line.md'), join(folder, 'README.md'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(ROOT, '.cache/cli')
  await writeCli(folder)
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  const packed = spawnSync('npm', ['pack', folder, '--pack-destination', join(ROOT, 'dist')], { stdio: 'inherit' })
  process.exitCode = packed.status ?? 1
}
