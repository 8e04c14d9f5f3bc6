import { useEffect } from 'react'
import { queryClient } from '../../../lib/query.ts'

/** Choices for a run that has not begun. */
export interface KeptDraft {
  hosts: readonly string[]
  run_as?: string | undefined
  values: Readonly<Record<string, string>>
}

const KEPT = 'runbook-draft'
queryClient.setQueryDefaults([KEPT], { gcTime: Number.POSITIVE_INFINITY })

/** Choices made before another tab or page was looked at; gone once the console is loaded again. */
export const keptDraft = (runbook: string): KeptDraft | undefined => queryClient.getQueryData([KEPT, runbook])

/** Keeps it as it is; nothing where `runbook` is undefined. */
export function useKeptDraft(runbook: string | undefined, draft: KeptDraft): void {
  const text = JSON.stringify(draft)
  useEffect(() => {
    if (runbook) queryClient.setQueryData([KEPT, runbook], JSON.parse(text))
  }, [runbook, text])
}
