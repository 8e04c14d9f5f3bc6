import { useEffect, useState, useSyncExternalStore } from 'react'
import { type WorkbenchOptions, type WorkbenchState, WorkbenchStore } from './workbench-store.ts'

/** The session of a workbench as a pane shows it; `bench` is always the same. */
export function useWorkbench(options: WorkbenchOptions): WorkbenchState & { bench: WorkbenchStore } {
  const { attempt } = options
  const [bench] = useState(() => new WorkbenchStore(options))
  bench.setOptions(options)
  const state = useSyncExternalStore(bench.subscribe, bench.read)
  useEffect(() => bench.connect(attempt), [bench, attempt])
  return { ...state, bench }
}
