/**
 * Programs of an archive that no lock file names, each by its checksum: another file is refused.
 * A newer Node is one line here and one in package-lock.json.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ROOT } from '../prepare.mjs'

/** Node.js as npm has it, by processor: sha512 of the package. */
const NODE = {
  version: '26.10.0',
  sha512: {
    x64: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    arm64: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
}

/**
 * The library that Node needs and slim systems lack. Debian 12's, as one that is older than the
 * systems it is for runs on all of them.
 */
const LIBATOMIC = {
  version: '12.2.0-14+deb12u1',
  folder: 'http://deb.debian.org/debian/pool/main/g/gcc-12',
  debian: { x64: 'amd64', arm64: 'arm64' },
  sha256: {
    x64: 'fbd4e154a6b444229ea002cc209df099209c0adc09102e5fd21239a3d2b55e2d',
    arm64: '1693aa13ce2b30d061a519fc28b77b9bab8c8e45804ced5969d99821e1bc2159',
  },
}

const CACHE = join(ROOT, '.cache/release/parts')

/** Of which processors there are archives. */
export const PROCESSORS = Object.keys(NODE.sha512)

/**
 * Node and libatomic for a processor, fetched once.
 * @param version of Node that package-lock.json names
 * @returns by name: version, address and checksum of what was fetched, and its files
 */
export async function fetchParts(processor, version) {
  if (version !== NODE.version)
    fail(`scripts/release/parts.mjs knows the checksums of Node ${NODE.version}, and package-lock.json has ${version}.`)
  return { node: await fetchNode(processor), libatomic: await fetchLibatomic(processor) }
}

async function fetchNode(processor) {
  const name = `node-linux-${processor}`
  const { version, sha512 } = NODE
  const folder = await kept(`${name}-${version}`, async (place) => {
    run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', place])
    const file = join(place, `${name}-${version}.tgz`)
    expectSum(file, 'sha512', 'base64', sha512[processor])
    run('tar', ['-xzf', file, '-C', place, '--strip-components=1', 'package/bin/node', 'package/LICENSE'])
    rmSync(file)
  })
  return {
    version,
    purl: `pkg:npm/${name}@${version}`,
    hash: { alg: 'SHA-512', content: Buffer.from(sha512[processor], 'base64').toString('hex') },
    program: join(folder, 'bin/node'),
    license: join(folder, 'LICENSE'),
  }
}

async function fetchLibatomic(processor) {
  const { version, folder: address, debian, sha256 } = LIBATOMIC
  const name = `libatomic1_${version}_${debian[processor]}.deb`
  const folder = await kept(name.replace(/\.deb$/, ''), async (place) => {
    const answer = await fetch(`${address}/${name}`).catch((error) => ({ status: error.cause?.message }))
    if (!answer.ok) fail(`${address}/${name} could not be fetched (${answer.status}).`)
    const file = join(place, name)
    await writeFile(file, Buffer.from(await answer.arrayBuffer()))
    expectSum(file, 'sha256', 'hex', sha256[processor])
    run('dpkg-deb', ['--extract', file, place])
    const [library] = spawnSync('find', [place, '-name', 'libatomic.so.1.*'], { encoding: 'utf8' }).stdout.split('\n')
    renameSync(library, join(place, 'libatomic.so.1'))
    for (const rest of ['usr', name]) rmSync(join(place, rest), { recursive: true })
  })
  return {
    version,
    purl: `pkg:deb/debian/libatomic1@${encodeURIComponent(version)}?arch=${debian[processor]}&distro=debian-12`,
    hash: { alg: 'SHA-256', content: sha256[processor] },
    library: join(folder, 'libatomic.so.1'),
  }
}

/** A folder of the cache, which is there whole or not at all. */
async function kept(name, fill) {
  const folder = join(CACHE, name)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const fresh = mkdtempSync(join(CACHE, '.fetched-'))
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }))
  console.log(`Fetching ${name} …`)
  await fill(fresh)
  renameSync(fresh, folder)
  return folder
}

function expectSum(file, algorithm, encoding, wanted) {
  const found = createHash(algorithm).update(readFileSync(file)).digest(encoding)
  if (found !== wanted)
    fail(`${file} is not the file that scripts/release/parts.mjs names: its ${algorithm} is ${found}.`)
}

function run(program, parameters) {
  const { status, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8' })
  if (status !== 0) fail(`${program} ${parameters[0]} failed: ${error?.message ?? stderr}`)
}
