/**
 * `findBy…` and `waitFor` end as soon as they can; on a busy machine that may take longer than the
 * library's second.
 */
import { configure } from '@testing-library/react'
import { vi } from 'vitest'

const PATIENCE_MS = 60_000

configure({ asyncUtilTimeout: PATIENCE_MS })

/** Vitest has no setting for its own. Files of one worker share it. */
const patient = vi as typeof vi & { isPatient?: boolean }
if (!patient.isPatient) {
  const { waitFor } = vi
  patient.isPatient = true
  vi.waitFor = (callback, options) =>
    waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options })
}
