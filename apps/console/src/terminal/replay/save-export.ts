import { ApiError } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/**
 * Fetches a file and hands it to the browser to save, so that a refusal is a sentence here and not
 * a page of its own. @throws ApiError
 */
export async function saveExport(address: string, name: string): Promise<void> {
  const response = await fetch(address, { credentials: 'same-origin' })
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => undefined)
    throw new ApiError(
      response.status,
      body,
      t('The recording cannot be read ({{status}})', { status: response.status }),
    )
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  // The browser has taken it when the click is done; the address may go a little later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
