/** An archive of a folder, its checksum, and the statement of where it comes from. */
import { spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fail } from '../prepare.mjs'
import { sha256 } from './components.mjs'

/**
 * Packs a folder: sorted, of nobody, and with the time of the commit, so that the same sources make
 * the same bytes. gzip, which every system can unpack.
 * @param seconds of all files, since 1970
 * @param level of gzip, 1 to 9
 */
export function pack(folder, archive, seconds, level = 9) {
  const { status, stderr } = spawnSync(
    'tar',
    [
      ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=gnu'],
      ...[`--mtime=@${seconds}`, `--use-compress-program=gzip -n -${level}`],
      ...['-cf', `${archive}.new`, '-C', dirname(folder), basename(folder)],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) fail(`tar could not make ${archive}: ${stderr}`)
  renameSync(`${archive}.new`, archive)
}

/** `SHA256SUMS` of these files, beside them; `sha256sum -c` reads it. */
export function writeSums(folder, names) {
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    names
      .sort()
      .map((name) => `${sha256(join(folder, name))}  ${name}\n`)
      .join(''),
  )
}

/**
 * A statement of in-toto, version 1, with the provenance of SLSA: which sources, packages and command
 * made which files. Nobody has signed it: it says what to compare, and proves nothing.
 * @param names of the files, in the folder
 * @param source address and hash of the commit, and whether the checkout had other changes
 * @param components of all archives
 * @param lockFile whose packages were installed
 */
export function provenance({ folder, names, source, command, version, components, lockFile }) {
  const materials = new Map(
    components.filter(({ hash }) => hash).map(({ purl, hash }) => [purl, { uri: purl, digest: digestOf(hash) }]),
  )
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: names.map((name) => ({ name, digest: { sha256: sha256(join(folder, name)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://slsa.dev/container-based-build/v0.1?program=npm-run-release',
        externalParameters: { command, version },
        internalParameters: { uncommittedChanges: source.hasChanges, isSigned: false },
        resolvedDependencies: [
          { uri: source.uri, digest: { gitCommit: source.commit } },
          { uri: 'package-lock.json', digest: { sha256: sha256(lockFile) } },
          ...materials.values(),
        ],
      },
      runDetails: { builder: { id: 'unsigned: any machine that runs the command' }, metadata: {} },
    },
  }
}

const digestOf = ({ alg, content }) => ({ [alg.replace('-', '').toLowerCase()]: content })
