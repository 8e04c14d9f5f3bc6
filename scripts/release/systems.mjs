/**
 * Fresh systems for the tests of a release: roots by debootstrap, which podman keeps as images, and
 * containers of them. The store is in `.cache/release`, so that a second run makes no root again.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../prepare.mjs'

const FOLDER = join(ROOT, '.cache/release')
const MIRROR = 'http://deb.debian.org/debian'
const DEBIAN = 'bookworm'

/** Images of fresh systems, with the packages beside those that Debian cannot do without. */
const FRESH = { 'fresh-minimal': [], 'fresh-systemd': ['systemd', 'systemd-sysv', 'dbus'] }

/** Libraries of Debian for arm64, below which qemu looks for those of programs. */
export const ARM64_LIBRARIES = join(FOLDER, 'arm64-libraries')

/** Where podman and buildah keep images and containers of ours. */
const STORE = ['--root', join(FOLDER, 'store'), '--runroot', '/run/sallyport-release']

/** Makes the images that are missing; this needs a network. */
export function makeFreshSystems() {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, packages] of Object.entries(FRESH)) {
    if (spawnSync('podman', [...STORE, 'image', 'exists', name]).status === 0) continue
    console.log(`Making ${name} by debootstrap …`)
    const folder = mkdtempSync(join(FOLDER, `${name}-`))
    try {
      const included = packages.length ? [`--include=${packages.join(',')}`] : []
      run('debootstrap', ['--variant=minbase', ...included, DEBIAN, join(folder, 'root'), MIRROR])
      run('tar', ['-C', join(folder, 'root'), '-cf', join(folder, 'root.tar'), '.'])
      podman('import', '--quiet', join(folder, 'root.tar'), name)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Unpacks those libraries unless they are there; needs a network. The system is not configured: it never runs. */
export function fetchArm64Libraries() {
  if (existsSync(ARM64_LIBRARIES)) return
  const fresh = mkdtempSync(join(FOLDER, 'arm64-'))
  try {
    run('debootstrap', ['--arch=arm64', '--foreign', '--variant=minbase', DEBIAN, fresh, MIRROR])
    for (const file of globSync(join(fresh, 'var/cache/apt/archives/libstdc++6_*.deb')))
      run('dpkg-deb', ['-x', file, fresh])
    renameSync(fresh, ARM64_LIBRARIES)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** What podman says; throws when it fails. */
export const podman = (...words) => run('podman', [...STORE, ...words])

/**
 * Builds the image of the archive in `dist/` on the fresh minimal system; nothing is fetched, and
 * steps run in a chroot, which needs no rights of the machine. Answers its name.
 */
export function buildProductImage() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const image = `sallyport:${version}`
  run('buildah', [
    ...[...STORE, 'bud', '--isolation', 'chroot', '--layers', '--pull-never', '--format', 'docker', '--tag', image],
    ...['--file', join(ROOT, 'deploy/container/Dockerfile'), '--build-arg', 'BASE=localhost/fresh-minimal'],
    ...['--build-arg', `ARCHIVE=sallyport-${version}-linux-${process.arch}.tar.gz`, join(ROOT, 'dist')],
  ])
  return image
}

/**
 * Parameters of `podman run` for a container that has the network of this process: a namespace of
 * its own has only what the tests start (`test-release.mjs`). The limits are those that podman
 * would raise, which not every machine allows.
 */
export const CONTAINER = [
  ...['--runtime', 'runc', 'run', '--network', 'host'],
  ...['--ulimit', 'nofile=16384:16384', '--ulimit', 'nproc=16384:16384'],
]

/** A command in a running container: its status and what it says. */
export function inside(container, command, { input = '', user = 'root' } = {}) {
  const words = ['--runtime', 'runc', 'exec', '--interactive', '--user', user, container, 'sh', '-c', command]
  const { status, stdout, stderr } = spawnSync('podman', [...STORE, ...words], { encoding: 'utf8', input })
  return { status, said: `${stdout}${stderr}`.trim() }
}

function run(program, parameters) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status === 0) return stdout.trim()
  throw new Error(`${program} ${parameters.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`)
}
