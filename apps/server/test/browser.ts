/**
 * A browser for tests that speak HTTP: keeps cookies, sends them back, and repeats the CSRF token
 * as the console does.
 */
import type { Answer, TestServer } from './server.ts'

export interface TestBrowser {
  jar: Map<string, string>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export function openTestBrowser(server: Pick<TestServer, 'call'>): TestBrowser {
  const jar = new Map<string, string>([['django_language', 'en']])
  return {
    jar,
    async call(method, path, body, headers = {}) {
      const answer = await server.call(method, path, {
        body,
        headers: {
          accept: 'application/json',
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(jar.has('csrftoken') ? { 'x-csrftoken': jar.get('csrftoken') ?? '' } : {}),
          ...headers,
        },
      })
      for (const line of [answer.headers['set-cookie'] ?? []].flat() as string[]) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
      return answer
    },
  }
}
