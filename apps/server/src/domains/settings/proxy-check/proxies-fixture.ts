/** Real proxies with TLS on this machine, in front of a server of the tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'
import type { ProxyName } from './mend-lines.ts'

const RECIPES: Readonly<Record<ProxyName, string>> = {
  nginx: 'nginx.conf',
  caddy: 'Caddyfile',
  apache: 'apache.conf',
  haproxy: 'haproxy.cfg',
}
/** In which the recipes say where the server and its certificate are. */
const UPSTREAM = /127\.0\.0\.1:8080/g
const READY_MS = 120_000

/** As it is shipped in deploy/proxies/. */
export const recipeOf = (proxy: ProxyName): string =>
  readFileSync(new URL(`../../../../../../deploy/proxies/${RECIPES[proxy]}`, import.meta.url), 'utf8')

export interface TestProxy {
  /** The addresses for HTTPS, and for plain HTTP if the configuration has that. */
  url: string
  plainUrl: string
  stop(): Promise<void>
}

/**
 * Starts one with a configuration as the recipes have it: with their ports, certificate and server.
 * @param upstream host and port of the server
 */
export async function startProxy(proxy: ProxyName, configuration: string, upstream: string): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), `sallyport-${proxy}-`))
  const [port, plainPort] = [await freePort(), await freePort()]
  const { certificate, privateKey } = makeServerCertificate('localhost')
  const [pem, key] = [join(folder, 'site.pem'), join(folder, 'site.key')]
  // HAProxy wants both in one file; the others read the certificate alone from it.
  writeFileSync(pem, certificate + privateKey)
  writeFileSync(key, privateKey)
  const own = configuration
    .replace(UPSTREAM, upstream)
    .replace(/\S+\/door\.example\.com\.(pem|key)(?=[;\s])/g, (_, kind) => (kind === 'pem' ? pem : key))
  const { file, words } = PROGRAMS[proxy]
  writeFileSync(join(folder, file), INSTALLED[proxy](own, { folder, port, plainPort, pem, key }))
  const child = spawn(
    words[0] ?? '',
    words.slice(1).map((word) => word.replace('FOLDER', folder)),
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output = (output + bytes).slice(-10_000)
    })
  const stop = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `https://127.0.0.1:${port}`
  const answers = Promise.withResolvers<void>()
  child.once('exit', () => answers.reject(new Error('it ended')))
  vi.waitFor(() => statusOf(`${url}/api/health/`), { timeout: READY_MS }).then(() => answers.resolve(), answers.reject)
  try {
    await answers.promise
  } catch (cause) {
    if (existsSync(join(folder, 'log'))) output += readFileSync(join(folder, 'log'), 'utf8')
    await stop()
    throw new Error(`${proxy} does not answer, and said:\n${output}`, { cause })
  }
  return { url, plainUrl: `http://127.0.0.1:${plainPort}`, stop }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

/** Rejects where nothing answers. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { rejectUnauthorized: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

/** Killed with the process of the tests. */
const WITH_US = ['setpriv', '--pdeathsig', 'KILL']
const PROGRAMS: Readonly<Record<ProxyName, { file: string; words: string[] }>> = {
  nginx: {
    file: 'nginx.conf',
    words: [...WITH_US, '/usr/sbin/nginx', '-e', 'stderr', '-p', 'FOLDER', '-c', 'FOLDER/nginx.conf'],
  },
  caddy: {
    file: 'Caddyfile',
    words: [...WITH_US, '/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', 'FOLDER/Caddyfile'],
  },
  apache: {
    file: 'apache2.conf',
    words: [...WITH_US, '/usr/sbin/apache2', '-X', '-f', 'FOLDER/apache2.conf'],
  },
  haproxy: { file: 'haproxy.cfg', words: [...WITH_US, '/usr/sbin/haproxy', '-db', '-f', 'FOLDER/haproxy.cfg'] },
}

interface Place {
  folder: string
  port: number
  plainPort: number
  pem: string
  key: string
}

/** The configuration around a site, as installations of the program have it, on ports of the test. */
const INSTALLED: Readonly<Record<ProxyName, (own: string, place: Place) => string>> = {
  nginx(own, { folder, port, plainPort }) {
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    const site = own
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
    return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n${folders.join('\n')}\n${site}\n}`
  },
  caddy(own, { port, pem, key }) {
    const site = own.replace('door.example.com {', `https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n\ttls ${pem} ${key}`)
    return `{\n\tadmin off\n\tauto_https off\n\tdefault_sni localhost\n}\n${site}`
  },
  apache(own, { folder, port, plainPort }) {
    mkdirSync(join(folder, 'run'))
    const modules = [
      'mpm_event',
      'authz_core',
      'socache_shmcb',
      'ssl',
      'headers',
      'proxy',
      'proxy_http',
      'reqtimeout',
      'alias',
    ]
    const site = own.replaceAll('*:443', `127.0.0.1:${port}`).replaceAll('*:80', `127.0.0.1:${plainPort}`)
    return [
      `ServerRoot ${folder}`,
      'ServerName localhost',
      `PidFile ${folder}/run/pid`,
      `Mutex file:${folder}/run`,
      `ErrorLog ${folder}/log`,
      ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
      ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      `Listen 127.0.0.1:${port}`,
      `Listen 127.0.0.1:${plainPort}`,
      site,
    ].join('\n')
  },
  haproxy: (own, { port, plainPort }) =>
    own.replace('bind :443', `bind 127.0.0.1:${port}`).replace('bind :80', `bind 127.0.0.1:${plainPort}`),
}
