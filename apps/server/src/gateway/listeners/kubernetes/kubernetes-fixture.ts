/** A whole server with its port for clients of Kubernetes, an application on a cluster of the tests, and the real kubectl. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { type Ran, runToEnd } from '../../../../test/run-to-end.ts'
import { type ApiServer, startApiServer, TOKEN } from '../../connectors/kubernetes/api-server-fixture.ts'
import { type ApplicationFixture, openApplicationFixture } from '../database/application-fixture.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, unknown>
  text: string
}

export interface KubernetesFixture extends ApplicationFixture {
  api: ApiServer
  /** Runs `kubectl` with a kubeconfig as the console gives it, made at the first call. */
  kubectl(parameters: string[], input?: string, environment?: Record<string, string>): Promise<Ran>
  /** Debian's of today is too old to run programs in containers over WebSocket. */
  isCurrent(): Promise<boolean>
  /** The same, which goes on: what it prints is read, and it is ended. */
  follow(parameters: string[]): Promise<{ received(): string; end(): Promise<void> }>
  /** A request as any client may send it. */
  request(
    path: string,
    options?: { method?: string; token?: string; headers?: Record<string, string> },
  ): Promise<HttpAnswer>
  /** Rows of commands: text, code and error, the newest last. */
  commands(): Promise<string[]>
  close(): Promise<void>
}

export async function openKubernetesFixture(environment: Record<string, string> = {}): Promise<KubernetesFixture> {
  const api = await startApiServer()
  const application = {
    type: 'k8s',
    setting: 'SALLYPORT_KUBERNETES_PORT',
    attrs: { cluster: `https://127.0.0.1:${api.port}` },
    accounts: { reader: { token: TOKEN }, wrong: { token: 'unknown' } },
  }
  const opened = await openApplicationFixture(application, environment)
  const { server, port, person, target, systemUsers } = opened
  const path = join(server.kernel.config.dataDirectory, 'walker.kubeconfig')
  let written: Promise<void> | undefined
  const write = async () => {
    const { body } = await person.post('/api/v1/authentication/connection-token/kubeconfig/', {
      application: target.id,
      system_user: systemUsers.reader,
    })
    // The console was opened by another name.
    await writeFile(path, String(body).replace(/server: ".*"/, `server: "https://127.0.0.1:${port}"`))
  }
  const options = async () => {
    written ??= write()
    await written
    return ['--kubeconfig', path, '--cache-dir', join(server.kernel.config.dataDirectory, 'kube-cache')]
  }
  return {
    ...opened,
    api,
    kubectl: async (parameters, input = '', environment = {}) =>
      runToEnd('kubectl', [...(await options()), ...parameters], { input, environment }),
    isCurrent: async () =>
      Number(
        /Client Version:[^\n]*?v?1\.(\d+)|Minor:"(\d+)/
          .exec((await runToEnd('kubectl', ['version', '--client'])).stdout)
          ?.slice(1)
          .find(Boolean) ?? 0,
      ) >= 31,
    async follow(parameters) {
      const child = spawn('kubectl', [...(await options()), ...parameters])
      let received = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (bytes) => {
          received += bytes
        })
      const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
      return {
        received: () => received,
        end: () => {
          child.kill('SIGINT')
          return gone
        },
      }
    },
    request: (path, { method = 'GET', token = '', headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const sent = httpsRequest({
          host: '127.0.0.1',
          port,
          path,
          method,
          rejectUnauthorized: false,
          agent: false,
          headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
        })
        sent.once('error', reject).end()
        sent.once('response', (response) => {
          let text = ''
          response.on('data', (piece) => {
            text += piece
          })
          response.once('error', reject)
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        })
      }),
    async commands() {
      const { rows } = await server.kernel.pool.query(
        `SELECT c.input, s.code, s.error FROM terminal_command c
         LEFT JOIN terminal_statement s ON s.command = c.id ORDER BY c.id`,
      )
      return rows.map(({ input, code, error }) => [input, code, error].filter(Boolean).join(' | '))
    },
    async close() {
      await server.close()
      await api.close()
    },
  }
}
