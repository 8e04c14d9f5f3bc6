import type { ReactNode } from 'react'
import { ask } from '../../design/dialogs/feedback.tsx'
import { ChangePreview } from './ChangePreview.tsx'
import type { ChangeCall } from './change.ts'

interface ChangeQuestion {
  /** The act and what it is done to, as a question. */
  title: string
  /** What it means, where that isn't plain. */
  lead?: string
  okText: string
  /** It takes rights away more often than it gives some: the dialog begins at its other button. */
  isDanger?: boolean
}

/** Asks before a change of rights that no form makes, and says what the call would do; true for yes. */
export function askChange({ lead, ...question }: ChangeQuestion, call: ChangeCall): Promise<boolean> {
  const content: ReactNode = (
    <>
      {lead !== undefined && <p>{lead}</p>}
      <ChangePreview call={call} />
    </>
  )
  return ask({ ...question, content })
}
