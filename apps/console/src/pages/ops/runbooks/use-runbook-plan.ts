import {
  type Runbook,
  type RunbookPreview,
  type RunbookRun,
  runbook,
} from '@sallyport/contract/resources/ops/runbook.ts'
import { useState } from 'react'
import { behindMfa } from '../../../generic/second-factor/MfaVerifyDialog.tsx'
import { formErrors } from '../../../generic/view/form-errors.ts'
import { ApiError, api, errorText } from '../../../lib/api.ts'
import { forget } from '../../../lib/query.ts'

/** The fault of the request, in words. */
export interface PlanFaults {
  hosts?: string
  run_as?: string
  /** By variable. */
  values: Readonly<Record<string, string>>
  /** Fault of no field. */
  other?: string
}

const NO_FAULTS: PlanFaults = { values: {} }

interface Looked {
  /** The request as one text; undefined where the answer holds for any request. */
  asked?: string
  preview?: RunbookPreview
  faults?: PlanFaults
}

/**
 * Previews a run and starts it. A preview holds for its request alone: once
 * that is another, it has to be looked at again.
 */
export function useRunbookPlan({ id, variables }: Runbook, run: RunbookRun, onBegun: (execution: string) => void) {
  const [looked, setLooked] = useState<Looked>()
  const [busy, setBusy] = useState<'look' | 'begin'>()
  const asked = JSON.stringify(run)
  const known = looked?.asked === undefined || looked.asked === asked ? looked : undefined
  const address = `${runbook.path}${encodeURIComponent(id)}/`
  const refuse = async (failure: unknown) => {
    const faults = faultsOf(failure, variables)
    if (!(failure instanceof ApiError) || failure.status !== 409) return setLooked({ asked, faults })
    // Changed meanwhile: the page shows the steps of now, which may ask for other values.
    await forget(runbook.path)
    setLooked({ faults })
  }
  const attempt = async (what: 'look' | 'begin', work: () => Promise<void>) => {
    if (busy) return
    setBusy(what)
    try {
      await work()
    } catch (failure) {
      await refuse(failure)
    } finally {
      setBusy(undefined)
    }
  }
  return {
    busy,
    preview: known?.preview,
    faults: known?.faults ?? NO_FAULTS,
    /** Shows why what was previewed cannot be had, instead of the preview. */
    refuse,
    look: () =>
      attempt('look', async () =>
        setLooked({ asked, preview: await api.post<RunbookPreview>(`${address}preview/`, run, { quiet: true }) }),
      ),
    /** Runs what the preview showed, unless the steps are others by now. */
    begin: ({ version }: RunbookPreview) =>
      attempt('begin', async () => {
        const begun = await behindMfa(() =>
          api.post<{ id: string }>(`${address}run/`, { ...run, version }, { quiet: true }),
        )
        setLooked(undefined)
        onBegun(begun.id)
      }),
  }
}

function faultsOf(failure: unknown, variables: Runbook['variables']): PlanFaults {
  if (!(failure instanceof ApiError) || !failure.fields) return { values: {}, other: errorText(failure) }
  const shown = [{ name: 'hosts' }, { name: 'run_as' }, { name: 'values', children: variables }]
  const { fields, others } = formErrors(failure.fields, shown)
  const at = (name: string) => fields.find(({ path }) => path[0] === name)?.text
  const [hosts, run_as] = [at('hosts'), at('run_as')]
  return {
    ...(hosts ? { hosts } : {}),
    ...(run_as ? { run_as } : {}),
    values: Object.fromEntries(fields.flatMap(({ path, text }) => (path[0] === 'values' ? [[path[1], text]] : []))),
    ...(others.length ? { other: others.join('; ') } : {}),
  }
}
