/** The image with exactly what the chart gives a pod, and what a cluster adds, without a cluster. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { startEmbeddedPostgres } from '../../apps/server/src/kernel/database/embedded.ts'
import { startObjectStore } from '../../apps/server/test/object-store.ts'
import { openNetwork } from '../../e2e/network.ts'
import { findHelm, helmRunsHere } from '../helm.mjs'
import { ROOT } from '../prepare.mjs'
import { commandThrough, firstSession } from './first-session.mjs'
import { buildProductImage, CONTAINER, podman } from './systems.mjs'

const PASSWORD = 'A-first-passw0rd'
const VOLUME = 'sallyport-release-test-pod'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-pod-'))
const closing = []
let container
let image
let pod
let environment
let sshd
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
beforeAll(async () => {
  image = buildProductImage()
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgres'), log: () => {} })
  closing.push(() => postgres.stop())
  const { host, port, user, database } = postgres.connection
  const line = await openNetwork({ path: `${host}/.s.PGSQL.${port}` })
  const store = await startObjectStore()
  sshd = await startSshd()
  closing.push(
    () => line.close(),
    () => store.close(),
    () => sshd.close(),
  )
  const { environment: settings } = store
  const values = {
    secrets: {
      DATABASE_URL: `postgres://${user}@127.0.0.1:${line.port}/${database}`,
      SALLYPORT_SECRET_KEY: 'a-key-of-more-than-thirty-two-letters',
      SALLYPORT_ADMIN_PASSWORD: PASSWORD,
      SALLYPORT_RECORDINGS_ACCESS_KEY: settings.SALLYPORT_RECORDINGS_ACCESS_KEY,
      SALLYPORT_RECORDINGS_SECRET_KEY: settings.SALLYPORT_RECORDINGS_SECRET_KEY,
    },
    recordings: { bucket: settings.SALLYPORT_RECORDINGS, endpoint: settings.SALLYPORT_RECORDINGS_ENDPOINT },
  }
  const objects = rendered(values)
  pod = objects.StatefulSet[0].spec.template.spec
  environment = { ...environmentOf(pod, objects.Secret[0].stringData), ...ofTheCluster(objects.Service) }
})
afterAll(async () => {
  remove()
  for (const close of closing.reverse()) await close()
  podman('volume', 'rm', '--force', VOLUME)
  rmSync(folder, { recursive: true, force: true })
})

/** The objects that Helm would create in a release called sallyport, by kind. */
function rendered(values) {
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  const { stdout, stderr, status } = spawnSync(
    findHelm(),
    ['template', 'sallyport', join(ROOT, 'deploy/helm/sallyport'), '--values', file],
    { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } },
  )
  expect([stderr, status]).toEqual(['', 0])
  return Object.groupBy(
    parseAllDocuments(stdout).map((document) => document.toJS()),
    ({ kind }) => kind,
  )
}

/** As the kubelet fills it in; the fields of the downward API are those of the first pod. */
function environmentOf({ containers: [{ env, envFrom }] }, secret) {
  expect(envFrom).toHaveLength(1)
  const fields = { 'metadata.name': 'sallyport-0', 'status.podIP': '127.0.0.1' }
  return {
    ...secret,
    ...Object.fromEntries(
      env.map(({ name, value, valueFrom }) => [name, value ?? fields[valueFrom.fieldRef.fieldPath]]),
    ),
  }
}

/** What Kubernetes adds: its own address always, those of services where service links are on. */
function ofTheCluster(services) {
  const links = ['kubernetes', ...services.map(({ metadata }) => metadata.name)].flatMap((service) => {
    const name = service.toUpperCase().replaceAll('-', '_')
    return [
      [`${name}_SERVICE_HOST`, '10.96.0.1'],
      [`${name}_SERVICE_PORT`, '443'],
      [`${name}_PORT`, 'tcp://10.96.0.1:443'],
      [`${name}_PORT_443_TCP`, 'tcp://10.96.0.1:443'],
      [`${name}_PORT_443_TCP_PROTO`, 'tcp'],
      [`${name}_PORT_443_TCP_PORT`, '443'],
      [`${name}_PORT_443_TCP_ADDR`, '10.96.0.1'],
    ]
  })
  return Object.fromEntries(links)
}

const remove = () => {
  if (container) podman('--runtime', 'runc', 'rm', '--force', '--time', '40', container)
  container = undefined
}

function start() {
  const { runAsUser, runAsGroup } = pod.securityContext
  const [{ securityContext, volumeMounts }] = pod.containers
  const variables = join(folder, 'environment')
  writeFileSync(
    variables,
    Object.entries(environment)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  expect(volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/tmp', '/var/lib/sallyport'])
  container = podman(
    ...CONTAINER,
    ...['--detach', '--env-file', variables, '--user', `${runAsUser}:${runAsGroup}`],
    ...['--volume', `${VOLUME}:/var/lib/sallyport`, '--tmpfs', '/tmp', '--security-opt', 'no-new-privileges'],
    ...(securityContext.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...securityContext.capabilities.drop.flatMap((one) => ['--cap-drop', one]),
    image,
  )
}

/** By the probe of the chart. */
function isReady() {
  const [{ ports, startupProbe }] = pod.containers
  const { containerPort } = ports.find(({ name }) => name === startupProbe.httpGet.port)
  const answer = () => fetch(`http://127.0.0.1:${containerPort}${startupProbe.httpGet.path}`)
  return expect
    .poll(() =>
      answer().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
}

test.skipIf(!helmRunsHere)(
  'a pod of the chart becomes ready and leads to a first session, and does so again after a restart',
  async () => {
    start()
    await isReady()
    // No proxy is named: the pod serves HTTPS with a certificate of its own making.
    const url = 'https://127.0.0.1:8080'
    const walk = { url, sshPort: 2222, password: PASSWORD, sshd, command: 'echo from a pod' }
    expect(await firstSession(walk)).toBe('from a pod\n')
    remove()
    start()
    await isReady()
    expect(await commandThrough({ ...walk, command: 'echo again' })).toBe('again\n')
  },
)
