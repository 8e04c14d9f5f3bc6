/** The image of the archive, built and run without a network, as the compose file runs it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { ROOT } from '../prepare.mjs'
import { commandThrough, firstSession } from './first-session.mjs'
import { buildProductImage, CONTAINER, inside, podman } from './systems.mjs'

const PASSWORD = 'A-first-passw0rd'
const VOLUME = 'sallyport-release-test'
/** A container listens for other machines: HTTPS is on by itself, with a certificate of its own making. */
const url = 'https://127.0.0.1:8080'
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const { services } = parse(readFileSync(join(ROOT, 'deploy/compose/compose.yaml'), 'utf8'))

let image
let sshd
let container
beforeAll(async () => {
  image = buildProductImage()
  sshd = await startSshd()
})
afterAll(async () => {
  await sshd?.close()
  remove()
  podman('volume', 'rm', '--force', VOLUME)
})

const remove = () => {
  if (container) podman('--runtime', 'runc', 'rm', '--force', '--time', '30', container)
  container = undefined
}

/** With the restrictions of the compose file. */
function start() {
  const { cap_drop, security_opt, read_only, tmpfs } = services.sallyport
  container = podman(
    ...CONTAINER,
    ...['--detach', '--volume', `${VOLUME}:/var/lib/sallyport`, '--env', `SALLYPORT_ADMIN_PASSWORD=${PASSWORD}`],
    ...cap_drop.flatMap((one) => ['--cap-drop', one]),
    ...security_opt.flatMap((one) => ['--security-opt', one.replace(/:true$/, '')]),
    ...(read_only ? ['--read-only'] : []),
    ...tmpfs.flatMap((one) => ['--tmpfs', one]),
    image,
  )
}

const isHealthy = () =>
  expect
    .poll(() =>
      fetch(`${url}/api/health/`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)

test('the image runs as an account without rights on a system that cannot be written, up to a first session', async () => {
  start()
  await isHealthy()
  expect(inside(container, 'id -u; sallyport-admin --help', { user: '10001' }).said).toMatch(/^10001\n/)
  expect(podman('inspect', '--format', '{{.Config.User}}', container)).toBe('10001')
  expect(podman('--runtime', 'runc', 'healthcheck', 'run', container)).toBe('')
  expect(await firstSession({ url, sshPort: 2222, password: PASSWORD, sshd, command: 'echo from a container' })).toBe(
    'from a container\n',
  )
})

test('what it stores is in the volume: another container goes on with it', async () => {
  remove()
  start()
  await isHealthy()
  expect(await commandThrough({ sshPort: 2222, password: PASSWORD, sshd, command: 'echo again' })).toBe('again\n')
})
