import type { TabState } from '../tabs/tabs.ts'
import { DesktopQuestion } from './desktop/DesktopQuestion.tsx'
import type { Status } from './desktop/desktop-status.ts'
import { NotConnected } from './NotConnected.tsx'
import { Watermark } from './Watermark.tsx'

interface PaneWordsProps {
  status: Status
  state: TabState
  watermark: string | undefined
  onAnswer: (text: string | undefined) => void
  onReconnect: () => void
}

/** What stands above a pane that is no terminal: questions, notices, and that it is not connected. */
export function PaneWords({ status, state, watermark, onAnswer, onReconnect }: PaneWordsProps) {
  return (
    <>
      {watermark && <Watermark text={watermark} />}
      <DesktopQuestion status={status} onAnswer={onAnswer} />
      {status.notice && (
        <p className="wt-desktop-notice" role={status.isLast ? 'alert' : 'status'}>
          {status.notice}
        </p>
      )}
      {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
    </>
  )
}
