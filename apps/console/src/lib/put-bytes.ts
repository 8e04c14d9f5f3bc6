/** A file as the body of a request. Not by fetch, which does not tell how much has gone. */
import { WIRE } from '@sallyport/contract/constants.ts'
import { ApiError } from './api.ts'
import { readCookie } from './cookies.ts'
import { t } from './i18n.ts'

export interface Bytes {
  address: string
  body: Blob
  signal: AbortSignal
  /** So many have gone. */
  onSent: (bytes: number) => void
}

/** Answers what the server says of it. @throws ApiError, with status 0 for a broken line, and the signal's reason */
export function putBytes({ address, body, signal, onSent }: Bytes): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const lost = () => reject(new ApiError(0, undefined, t('The server cannot be reached')))
    const stop = () => request.abort()
    signal.addEventListener('abort', stop, { once: true })
    request.open('PUT', address)
    request.setRequestHeader('content-type', 'application/octet-stream')
    const csrf = readCookie(WIRE.csrfCookie)
    if (csrf) request.setRequestHeader(WIRE.csrfHeader, csrf)
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, body.size))
    request.onloadend = () => signal.removeEventListener('abort', stop)
    request.onabort = () => reject(signal.reason)
    request.onerror = lost
    request.ontimeout = lost
    request.onload = () => {
      const answer = parsed(request.responseText)
      if (request.status >= 200 && request.status < 300) return resolve(answer)
      reject(new ApiError(request.status, answer, `${request.status} ${request.statusText}`))
    }
    request.send(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
