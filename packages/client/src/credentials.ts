import { WIRE } from '@sallyport/contract/constants.ts'

/** How a caller is known: puts it into the headers of each call. */
export interface Credentials {
  /** `target`: the path and query of the call. */
  sign(headers: Headers, method: string, target: string): void | Promise<void>
  /** Whether the browser itself sends the cookies of the page. */
  readonly ofPage?: boolean
}

/** The token of a sign-in, good for a day. */
export const bearer = (token: string): Credentials => ({
  sign: (headers) => headers.set('authorization', `Bearer ${token}`),
})

/** A token that an operator has made on the server's command line. */
export const privateToken = (token: string): Credentials => ({
  sign: (headers) => headers.set('authorization', `Token ${token}`),
})

/**
 * An access key: each call is signed, and the secret never travels. In Node alone, since browsers do not
 * let pages set the header Date.
 */
export function accessKey({ id, secret }: { id: string; secret: string }): Credentials {
  const text = new TextEncoder()
  const key = crypto.subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  // A key that can't be used fails where it signs.
  key.catch(() => {})
  return {
    async sign(headers, method, target) {
      const date = new Date().toUTCString()
      const signed = `(request-target): ${method.toLowerCase()} ${target}\ndate: ${date}`
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', await key, text.encode(signed)))
      headers.set('date', date)
      headers.set(
        'authorization',
        `Signature keyId="${id}",algorithm="hmac-sha256",headers="(request-target) date",signature="${base64(bytes)}"`,
      )
    },
  }
}

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/** The session of a browser, by its two cookies. */
export const session = (cookies: { sessionid: string; csrftoken: string }): Credentials => ({
  sign(headers) {
    const { sessionid, csrftoken } = cookies
    const own = `${WIRE.sessionCookie}=${sessionid}; ${WIRE.csrfCookie}=${csrftoken}`
    headers.set('cookie', [headers.get('cookie'), own].filter(Boolean).join('; '))
    headers.set(WIRE.csrfHeader, csrftoken)
  },
})

/** In a page of the site: the person who is signed in there. */
export const browserSession = (): Credentials => ({
  ofPage: true,
  sign(headers) {
    const { document } = globalThis as { document?: { cookie: string } }
    const [, token] = new RegExp(`(?:^|; )${WIRE.csrfCookie}=([^;]*)`).exec(document?.cookie ?? '') ?? []
    if (token) headers.set(WIRE.csrfHeader, token)
  },
})
