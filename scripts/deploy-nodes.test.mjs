/** What `deploy/` has for containers: compose files, load balancer, Helm chart. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '../apps/server/src/config.ts'
import { findHelm, helmRunsHere } from './helm.mjs'
import { ROOT } from './prepare.mjs'

const BALANCER = join(ROOT, 'deploy/haproxy/haproxy.cfg')
const ONE_NODE = join(ROOT, 'deploy/compose/compose.yaml')
const CLUSTER = join(ROOT, 'deploy/compose/compose.cluster.yaml')
const CHART = join(ROOT, 'deploy/helm/sallyport')
const KEY = 'a-key-of-more-than-thirty-two-letters'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-helm-'))
beforeAll(() => void (helmRunsHere && findHelm()))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What each secret of the compose file is filled with. */
const FILLED = Object.fromEntries(
  [...readFileSync(join(ROOT, 'deploy/compose/env.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, name, value]) => [name, value || `${name}-${KEY}`],
  ),
)

function compose(environment, file = CLUSTER) {
  const { status, stdout, stderr } = spawnSync('docker-compose', ['-f', file, 'config'], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
  })
  return { status, stderr, services: status === 0 ? parse(stdout).services : undefined }
}

test('HAProxy takes the configuration of the load balancer', () => {
  const { status, stderr } = spawnSync('/usr/sbin/haproxy', ['-c', '-f', BALANCER], { encoding: 'utf8' })
  // That the names of the nodes are not known here is no fault of it.
  expect(stderr.split('\n').filter((line) => /ALERT|WARNING/.test(line) && !/could not resolve/.test(line))).toEqual([])
  expect(status).toBe(0)
})

test('the compose file of one node is valid, and starts with an image of this version and no settings at all', () => {
  const { status, stderr, services } = compose({}, ONE_NODE)
  expect([stderr, status]).toEqual(['', 0])
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { image, environment, volumes, stop_grace_period } = services.sallyport
  expect(image).toBe(`sallyport:${version}`)
  const config = loadConfig(environment)
  expect(config.adminPassword).toBeUndefined()
  expect(Number.parseInt(stop_grace_period, 10) * 60).toBeGreaterThan(config.drainSeconds + 15)
  expect(volumes).toEqual(['sallyport:/var/lib/sallyport:rw'])
  expect(services.sallyport).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  const given = { SALLYPORT_ADMIN_PASSWORD: 'A-first-passw0rd', SALLYPORT_IMAGE: 'registry.example.com/door:2' }
  const own = compose(given, ONE_NODE).services.sallyport
  expect(own.image).toBe('registry.example.com/door:2')
  expect(loadConfig(own.environment).adminPassword).toBe('A-first-passw0rd')
})

test('the compose file of three nodes is valid, its nodes start with their settings, and the balancer knows each of them', () => {
  const { status, stderr, services } = compose(FILLED)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const nodes = Object.keys(services).filter((name) => name.startsWith('node-'))
  expect(nodes).toEqual(['node-1', 'node-2', 'node-3'])
  const balancer = services.balancer.networks.sallyport.ipv4_address
  for (const name of nodes) {
    const config = loadConfig(services[name].environment)
    expect(config).toMatchObject({ nodeName: name, trustedProxies: [balancer] })
    expect(Number.parseInt(services[name].stop_grace_period, 10)).toBeGreaterThan(config.drainSeconds + 15)
  }
  const known = [...readFileSync(BALANCER, 'utf8').matchAll(/^ {4}server (\S+) \1:(\d+)/gm)]
  expect(known.map(([, name, port]) => `${name}:${port}`)).toEqual(
    ['8080', '2222'].flatMap((port) => nodes.map((name) => `${name}:${port}`)),
  )
})

test('no secret of the compose file of three nodes has a default: without one of them nothing starts', () => {
  expect(readFileSync(join(ROOT, 'deploy/compose/env.example'), 'utf8')).not.toMatch(/^\w+=.+/m)
  for (const name of Object.keys(FILLED)) {
    const { status, stderr } = compose({ ...FILLED, [name]: '' })
    expect(status).toBe(1)
    expect(stderr).toContain('is missing in .env')
  }
})

const SECRETS = {
  DATABASE_URL: 'postgres://sallyport:secret@db/sallyport',
  SALLYPORT_SECRET_KEY: KEY,
  SALLYPORT_RECORDINGS_ACCESS_KEY: 'access',
  SALLYPORT_RECORDINGS_SECRET_KEY: 'secret',
}
const GIVEN = { 'recordings.bucket': 's3://recordings' }
const GIVEN_SECRETS = Object.fromEntries(Object.entries(SECRETS).map(([name, value]) => [`secrets.${name}`, value]))

function helm(command, values) {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  return spawnSync(findHelm(), [...command, CHART, ...set], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder },
  })
}

/** The objects that Helm would create, by kind. */
function rendered(values) {
  const { status, stdout, stderr } = helm(['template', 'door'], values)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const objects = parseAllDocuments(stdout).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
  return Object.groupBy(objects, ({ kind }) => kind)
}

test.skipIf(!helmRunsHere)('Helm finds nothing wrong with the chart', () => {
  const { status, stdout } = helm(['lint', '--strict'], { ...GIVEN, ...GIVEN_SECRETS })
  expect(stdout).toContain('0 chart(s) failed')
  expect(status).toBe(0)
})

test.skipIf(!helmRunsHere)("the chart's nodes start with their settings, as an account without rights", () => {
  const { StatefulSet, Secret, PodDisruptionBudget, Ingress } = rendered({ ...GIVEN, ...GIVEN_SECRETS })
  const [{ spec }] = StatefulSet
  const [container] = spec.template.spec.containers
  const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? '10.1.2.3']))
  const config = loadConfig({ ...environment, ...Secret[0].stringData })
  expect(config).toMatchObject({ recordings: expect.anything(), secretKey: KEY })
  expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(config.drainSeconds + 15)
  expect(spec.template.spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  // A database that is away makes a node unready; only a process that hangs is ended.
  expect(container.readinessProbe.httpGet.path).toBe('/api/health/')
  expect(container.livenessProbe.httpGet).toBeUndefined()
  const { labels } = spec.template.metadata
  expect(labels).toMatchObject(spec.selector.matchLabels)
  expect(PodDisruptionBudget[0].spec).toEqual({ maxUnavailable: 1, selector: spec.selector })
  expect(Ingress).toBeUndefined()
})

test.skipIf(!helmRunsHere)("the chart's services and its ingress lead to ports that the nodes have", () => {
  const values = { 'ingress.enabled': true, 'ingress.host': 'door.example.com', 'ingress.tlsSecret': 'door-tls' }
  const { StatefulSet, Service, Ingress } = rendered({ ...GIVEN, ...GIVEN_SECRETS, ...values })
  const { template, serviceName } = StatefulSet[0].spec
  const ports = template.spec.containers[0].ports.map(({ name }) => name)
  for (const { spec } of Service) {
    expect(template.metadata.labels).toMatchObject(spec.selector)
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort)
    expect(spec.sessionAffinity).toBeUndefined()
  }
  expect(Service.map(({ metadata }) => metadata.name)).toContain(serviceName)
  const { name, port } = Ingress[0].spec.rules[0].http.paths[0].backend.service
  const [target] = Service.filter(({ metadata }) => metadata.name === name)
  expect(target.spec.ports.map((one) => one.name)).toContain(port.name)
  expect(Ingress[0].spec.tls).toEqual([{ hosts: ['door.example.com'], secretName: 'door-tls' }])
})

test.skipIf(!helmRunsHere)('the chart is not installed without a secret, and takes one that exists', () => {
  for (const name of Object.keys(GIVEN_SECRETS)) {
    const { status, stderr } = helm(['template', 'door'], { ...GIVEN, ...GIVEN_SECRETS, [name]: '' })
    expect(status).not.toBe(0)
    expect(stderr).toContain(name)
  }
  const { StatefulSet, Secret } = rendered({ ...GIVEN, existingSecret: 'own' })
  expect(Secret).toBeUndefined()
  expect(StatefulSet[0].spec.template.spec.containers[0].envFrom).toEqual([{ secretRef: { name: 'own' } }])
})
