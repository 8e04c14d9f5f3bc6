import { createHmac } from 'node:crypto'

/**
 * Headers of a request signed with an access key as existing clients do: HMAC-SHA256 over the
 * target and the date.
 */
export function signed(
  path: string,
  { id, secret }: { id: string; secret: string },
  method = 'get',
  date = new Date().toUTCString(),
) {
  const text = `(request-target): ${method} ${path}\ndate: ${date}`
  const signature = createHmac('sha256', secret).update(text).digest('base64')
  return {
    date,
    authorization: `Signature keyId="${id}",algorithm="hmac-sha256",headers="(request-target) date",signature="${signature}"`,
  }
}
