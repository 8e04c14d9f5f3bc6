import { request } from '../../lib/api.ts'

/**
 * Encrypts the password for the server when it gives a public key (RSA-OAEP, SHA-256, base64); else
 * it stays as it is.
 */
export async function sealPassword(password: string): Promise<string> {
  // Browsers offer encryption only over TLS and on this very machine. A key that is asked for must
  // be used.
  if (!crypto.subtle) return password
  const { public_key } = await request<{ public_key: string | null }>('GET', '/core/auth/login/key/', { quiet: true })
  if (!public_key) return password
  const der = Uint8Array.from(atob(public_key.replace(/-----[^-]+-----|\s/g, '')), (char) => char.charCodeAt(0))
  const key = await crypto.subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt'])
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, new TextEncoder().encode(password)),
  )
  return btoa(String.fromCharCode(...sealed))
}
