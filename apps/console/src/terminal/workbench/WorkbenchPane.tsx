import '../pane/tool-pane.css'
import './workbench.css'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { PaneHead, type PaneTitle } from '../pane/PaneHead.tsx'
import { PaneMessages } from '../pane/PaneMessages.tsx'
import { useFadingNotice } from '../pane/use-fading-notice.ts'
import { useStarted } from '../pane/use-started.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { WatermarkText } from '../viewer.ts'
import { heldResult } from './answers.ts'
import { quotedName } from './quoted-name.ts'
import { Results } from './Results.tsx'
import { SchemaTree } from './SchemaTree.tsx'
import { useStatements } from './use-statements.ts'
import { useWorkbench } from './use-workbench.ts'
import { WorkbenchBar } from './WorkbenchBar.tsx'
import type { WorkbenchOptions } from './workbench-store.ts'

export interface WorkbenchPaneProps extends WorkbenchOptions {
  state: TabState
  active: boolean
  /** Beside others, it may be seen without having the keyboard. */
  isShown?: boolean
  title?: PaneTitle | undefined
  watermark: WatermarkText | undefined
  /** Unless given, nothing that is written outlasts the page. */
  userId: string | undefined
  onReconnect: () => void
}

const isNarrow = () => matchMedia('(max-width: 700px)').matches

/** A workbench on one database, and its session. Hidden ones stay connected. */
export function WorkbenchPane(props: WorkbenchPaneProps) {
  const { target, state, active, isShown = active, watermark, userId, onReconnect } = props
  const { session, onStarted } = useStarted(props)
  const { bench, status, started, answers, isAway, isExporting } = useWorkbench({ ...props, onStarted })
  const [isTreeShown, setTreeShown] = useState(() => !isNarrow())
  useFadingNotice(status, bench.setStatus)
  const isConnected = state === 'connected' && started !== undefined && !isAway
  const mayRun = isConnected && (!answers.isRunning || heldResult(answers) !== undefined)
  const box = useRef<HTMLDivElement>(null)
  const application = target.target_id
  const { editor, history, run, format, forgetHistory } = useStatements(box, {
    ...{ bench, application, userId, isConnected },
  })
  useEffect(() => {
    if (active && isConnected) editor.current?.focus()
  }, [active, isConnected, editor])
  const more = useCallback(() => bench.more(), [bench])
  const written = () => editor.current?.selection().text.trim() || editor.current?.text() || ''

  return (
    <section className="wt-pane tool-pane workbench" hidden={!isShown} aria-label={t('Workbench')}>
      <PaneHead title={props.title} {...{ session, state }} watchers={status.watchers} />
      <WorkbenchBar
        {...{ started, answers, isTreeShown, setTreeShown, history, isConnected, mayRun }}
        isLocked={status.isLocked}
        mayStop={isConnected && answers.isRunning}
        onRun={run}
        onFormat={format}
        onStop={bench.cancel}
        onWrite={() => editor.current?.focus()}
        onAdd={(statement) => editor.current?.add(statement.replaceAll('\r\n', '\n'))}
        onForget={forgetHistory}
        saving={userId === undefined ? undefined : { application, text: written }}
      />
      <div className="tool-pane-body">
        {isTreeShown &&
          (state === 'connected' && started ? (
            <SchemaTree
              key={props.attempt}
              ask={bench.ask}
              onInsert={(name) => editor.current?.insert(name)}
              quoted={(name) => quotedName(name, started.dialect)}
            />
          ) : (
            <div className="tool-pane-side" />
          ))}
        <div className="tool-pane-work">
          <div className="wb-editor" ref={box} data-empty={answers.run === 0} />
          <Results
            {...{ answers, isExporting }}
            onMore={more}
            onMoveOn={isConnected ? () => bench.more(true) : undefined}
            onAgain={bench.again}
            onMoveTo={bench.moveTo}
            mayExport={mayRun}
            onExport={started?.mayExport ? bench.export : undefined}
            onEdit={
              started?.mayEdit
                ? (place) => ({
                    plan: (value) => bench.planEdit(place, value),
                    run: bench.edit,
                    stop: bench.cancel,
                  })
                : undefined
            }
          />
        </div>
      </div>
      <PaneMessages
        {...{ status, state, target, watermark, onReconnect, isAway }}
        isEmpty={started === undefined}
        onAnswer={bench.answer}
      />
    </section>
  )
}
