/**
 * A body that holds files as multipart form data: files as they are, null as empty text, lists and
 * objects as JSON. Others stay what they are.
 */
export function asMultipart(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.values(body).some((value) => value instanceof File))
    return body
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) form.append(name, value instanceof File ? value : asText(value))
  return form
}

const asText = (value: unknown) =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
