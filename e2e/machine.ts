import type { Sshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import type { Installation } from './installation.ts'

/** Their ids. */
export interface Machine {
  asset: string
  systemUser: string
}

/**
 * Describes the sshd as the asset web-1 with the system user deploy, and grants it to the
 * administrator.
 */
export async function describeMachine(
  installation: Pick<Installation, 'url'>,
  sshd: Sshd,
  password: string,
): Promise<Machine> {
  const { post, profile } = await apiOf(installation, password)
  const asset = await post('/api/v1/assets/assets/', {
    hostname: 'web-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const systemUser = await post('/api/v1/assets/system-users/', {
    name: 'deploy',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  await post('/api/v1/perms/asset-permissions/', {
    name: 'walk',
    users: [profile.id],
    assets: [asset.id],
    system_users: [systemUser.id],
  })
  return { asset: String(asset.id), systemUser: String(systemUser.id) }
}

/** The API as the administrator uses it. */
export async function apiOf({ url }: Pick<Installation, 'url'>, password: string) {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  const send = async <T>(path: string, request: RequestInit = {}) => {
    const answer = await fetch(url + path, { headers, ...request })
    const read = await answer.json()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(read)}`)
    return read as T
  }
  const get = <T>(path: string) => send<T>(path)
  const post = (path: string, body: unknown) =>
    send<Record<string, string>>(path, { method: 'POST', body: JSON.stringify(body) })
  const { token } = await post('/api/v1/authentication/auth/', { username: 'admin', password })
  headers.authorization = `Bearer ${token}`
  const patch = (path: string, body: unknown) => send(path, { method: 'PATCH', body: JSON.stringify(body) })
  const profile = await get<{ id: string }>('/api/v1/users/profile/')
  return { get, post, patch, profile }
}
