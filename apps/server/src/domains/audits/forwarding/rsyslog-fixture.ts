/** A real rsyslog on loopback, which takes UDP, TCP and TLS and writes what it has understood to a file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../../test/free-port.ts'

/** A message as rsyslog has parsed it. */
export interface Received {
  priority: string
  tag: string
  id: string
  data: string
  text: string
}

export interface Rsyslog {
  ports: { udp: number; tcp: number; tls: number }
  /** Certificate that its own is signed by: itself. */
  ca: string
  received(): Received[]
  start(): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}

export async function startRsyslog(): Promise<Rsyslog> {
  const directory = mkdtempSync(join(tmpdir(), 'rsyslog-'))
  const at = (name: string) => join(directory, name)
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ${at('key.pem')} -out ${at('cert.pem')}`
  execFileSync('openssl', request.split(' '), { stdio: 'ignore' })
  const ports = { udp: await freePort(), tcp: await freePort(), tls: await freePort() }
  const output = at('received')
  writeFileSync(output, '')
  writeFileSync(
    at('rsyslog.conf'),
    `global(workDirectory="${directory}" maxMessageSize="16k" parser.escapeControlCharactersOnReceive="off")
module(load="imudp")
module(load="imtcp")
input(type="imudp" address="127.0.0.1" port="${ports.udp}")
input(type="imtcp" address="127.0.0.1" port="${ports.tcp}")
input(type="imtcp" address="127.0.0.1" port="${ports.tls}" streamDriver.name="gtls" streamDriver.mode="1"
  streamDriver.authMode="anon" streamDriver.caFile="${at('cert.pem')}" streamDriver.certFile="${at('cert.pem')}"
  streamDriver.keyFile="${at('key.pem')}")
template(name="all" type="string" string="%pri%\\t%app-name%\\t%msgid%\\t%structured-data%\\t%msg%\\n")
action(type="omfile" file="${output}" template="all")
`,
  )
  let running: ChildProcess | undefined
  const server: Rsyslog = {
    ports,
    ca: readFileSync(at('cert.pem'), 'utf8'),
    received: () =>
      readFileSync(output, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [priority = '', tag = '', id = '', data = '', ...text] = line.split('\t')
          return {
            priority,
            tag,
            id,
            data,
            text: text
              .join('\t')
              .trim()
              .replace(/^\uFEFF/, ''),
          }
        }),
    async start() {
      running = spawn('rsyslogd', ['-n', '-f', at('rsyslog.conf'), '-i', at('pid')], { stdio: 'ignore' })
      for (const port of [ports.tcp, ports.tls]) await answers(port)
    },
    async stop() {
      if (!running) return
      const ended = once(running, 'exit')
      running.kill()
      running = undefined
      await ended
    },
    async close() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/** Once somebody listens there. */
async function answers(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isThere) return
    await delay(50)
  }
}
