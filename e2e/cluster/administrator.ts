/** The administrator of an installation, over its API. */
export interface Administrator {
  token: string
  /**
   * Answers the body; throws CallFailed when it is no success, or what `fetch` throws without an
   * answer.
   */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  call(method: string, path: string, body?: unknown): Promise<any>
}

export class CallFailed extends Error {
  readonly status: number

  constructor(method: string, path: string, status: number, text: string) {
    super(`${method} ${path} answered ${status}: ${text}`)
    this.status = status
  }
}

export function withToken(url: string, token: string): Administrator {
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` }
  return { token, call: (method, path, body) => send(url, headers, method, path, body) }
}

export async function signInAsAdministrator(url: string, password: string): Promise<Administrator> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const { token } = await send(url, headers, 'POST', '/api/v1/authentication/tokens/', { username: 'admin', password })
  return withToken(url, token)
}

async function send(url: string, headers: Record<string, string>, method: string, path: string, body?: unknown) {
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new CallFailed(method, path, answer.status, text)
  return text ? JSON.parse(text) : undefined
}
