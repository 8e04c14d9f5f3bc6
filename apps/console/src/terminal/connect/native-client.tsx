/** Opens a desktop with a client of the person's own (contract web-terminal, flows.native_rdp_client). */
import { showDialog, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { rdpFileName } from '../../lib/file-names.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { Target } from '../assets/target.ts'
import { wantedRdpSize } from '../screen/preferences.ts'
import type { ConnectType } from './connect-types.ts'
import { DontShowAgain, hidesClientHint } from './DontShowAgain.tsx'

const TOKENS = '/api/v1/authentication/connection-token/'
/** A program that takes a link takes the focus as well, within this time. */
const TAKEN_MS = 2000

/** Saves the file, or has a program take the link. @throws ApiError */
export async function openByClient(
  type: Exclude<ConnectType, 'web'>,
  { family, id, name }: Target,
  systemUser: string,
): Promise<void> {
  const body = { [family]: id, system_user: systemUser }
  const query = wantedRdpSize()
  if (type === 'rdp_file') {
    const file = await api.post<string>(`${TOKENS}rdp/file/`, body, { query, quiet: true })
    saveFile(new Blob([file], { type: 'application/x-rdp' }), rdpFileName(name))
    return showSuccess(t('Open the file within five minutes: it opens one session.'))
  }
  const { url } = await api.post<{ url: string }>(`${TOKENS}client-url/`, body, { query, quiet: true })
  if (!(await isTaken(url)) && !hidesClientHint())
    showDialog({ title: t('No client on this computer opened the link'), content: <DontShowAgain /> })
}

/** Whether a program takes it: then the page loses the focus. */
function isTaken(url: string): Promise<boolean> {
  const frame = document.createElement('iframe')
  frame.hidden = true
  // Not the page itself: the browser would ask whether to leave it.
  frame.src = url
  document.body.append(frame)
  return new Promise((resolve) => {
    const settle = (taken: boolean) => {
      clearTimeout(timer)
      removeEventListener('blur', onBlur)
      frame.remove()
      resolve(taken)
    }
    const onBlur = () => settle(true)
    const timer = setTimeout(() => settle(false), TAKEN_MS)
    addEventListener('blur', onBlur)
  })
}
