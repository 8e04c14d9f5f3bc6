import { CLUSTER_ANSWERS } from '@sallyport/contract/socket/cluster.ts'
import { ListIcon, RotateCwIcon, XIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import type { Ask } from '../pane/questions.ts'
import { type ViewTab, ViewTabs } from '../workbench/ViewTabs.tsx'
import { Answered, useAnswer } from './Answered.tsx'
import { Containers, type OpenContainer } from './Containers.tsx'
import { containersOf } from './containers.ts'
import { EventList } from './EventList.tsx'
import { factsOf, podsOf, tablesOf } from './facts.ts'
import { kindCalled, OBJECT_KINDS } from './kinds.ts'
import type { ObjectPlace } from './objects.ts'
import { type ClusterObject, listAt, textAt } from './read-object.ts'

interface ObjectDetailProps {
  place: ObjectPlace
  ask: Ask
  /** Opens another object. */
  onGo: (place: ObjectPlace) => void
  /** Lists the pods with these labels. */
  onPods: (selector: string) => void
  /** Opens a container; unless given, none can be. */
  onContainer?: OpenContainer | undefined
  onClose: () => void
}

type View = 'facts' | 'events' | 'yaml'
/** Facts about an object, its events, and the whole of it. */
export function ObjectDetail({ place, ask, onGo, onPods, onContainer, onClose }: ObjectDetailProps) {
  const { kind, namespace, name } = place
  const [view, setView] = useState<View>('facts')
  const [count, setCount] = useState(0)
  const shown = useAnswer(ask, { about: 'object', kind, namespace, name }, CLUSTER_ANSWERS.object, count)
  const views: readonly ViewTab<View>[] = [
    { name: 'facts', title: t('Details@@cluster') },
    // An event shows nothing but itself.
    ...(kind === 'events' ? [] : [{ name: 'events' as const, title: t('Events@@cluster') }]),
    { name: 'yaml', title: 'YAML' },
  ]
  const object = shown.answer?.object
  return (
    <section
      className="kb-detail"
      tabIndex={-1}
      aria-label={name}
      onKeyDown={({ key, defaultPrevented }) => key === 'Escape' && !defaultPrevented && onClose()}
    >
      <header>
        <h2 title={name}>{name}</h2>
        <span className="tool-pane-count">{[OBJECT_KINDS[kind], namespace].filter(Boolean).join(' · ')}</span>
        <Button
          type="text"
          size="small"
          icon={<RotateCwIcon />}
          aria-label={t('Reload the object')}
          onClick={() => setCount(count + 1)}
        />
        <Button type="text" size="small" icon={<XIcon />} aria-label={t('Close')} onClick={onClose} />
      </header>
      <ViewTabs label={t('Views of the object')} tabs={views} active={view} onChoose={setView} />
      <div className="kb-content" role="tabpanel" aria-label={views.find((one) => one.name === view)?.title}>
        {view === 'events' ? (
          <EventList key={count} {...{ ask, place }} />
        ) : (
          <Answered of={shown} onRetry={() => setCount(count + 1)}>
            {object && view === 'facts' && <Facts {...{ place, object, onGo, onPods, onContainer }} />}
            {view === 'yaml' && (
              <>
                <div className="data-grid-bar">
                  <Button size="small" onClick={() => void copyText(shown.answer?.yaml ?? '')}>
                    {t('Copy')}
                  </Button>
                </div>
                <pre className="kb-yaml">{shown.answer?.yaml}</pre>
              </>
            )}
          </Answered>
        )}
      </div>
    </section>
  )
}

interface FactsProps extends Pick<ObjectDetailProps, 'place' | 'onGo' | 'onPods' | 'onContainer'> {
  object: ClusterObject
}

function Facts({ place, object, onGo, onPods, onContainer }: FactsProps) {
  const { kind, namespace } = place
  const selector = podsOf(kind, object)
  const owners = listAt(object, 'metadata.ownerReferences')
  return (
    <>
      {kind === 'pods' && (
        <Containers
          containers={containersOf(object)}
          onOpen={onContainer && ((container, what) => onContainer({ namespace, pod: place.name, container }, what))}
        />
      )}
      {selector && (
        <Button size="small" className="kb-pods" icon={<ListIcon />} onClick={() => onPods(selector)}>
          {t('Show its pods')}
        </Button>
      )}
      <dl className="kb-facts">
        {owners.length > 0 && (
          <>
            <dt>{t('Belongs to')}</dt>
            <dd>
              {owners.map((owner) => (
                <Owner key={textAt(owner, 'uid')} {...{ owner, namespace, onGo }} />
              ))}
            </dd>
          </>
        )}
        {factsOf(kind, object).map(({ label, values }) => (
          <Fact key={label} {...{ label, values }} />
        ))}
      </dl>
      {tablesOf(object).map(({ title, columns, rows }) => (
        <div key={title} className="kb-table">
          <h3>{title}</h3>
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row[0]}>
                  {row.map((cell, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is where its column is
                    <td key={at}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </>
  )
}

const Fact = ({ label, values }: { label: string; values: readonly string[] }) => (
  <>
    <dt>{label}</dt>
    <dd>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same may be there twice
        <span key={at}>{value}</span>
      ))}
    </dd>
  </>
)

function Owner({ owner, namespace, onGo }: { owner: unknown; namespace: string; onGo: (place: ObjectPlace) => void }) {
  const kind = kindCalled(textAt(owner, 'kind'))
  const name = textAt(owner, 'name')
  const words = `${textAt(owner, 'kind')}/${name}`
  if (!kind) return <span>{words}</span>
  return (
    <button type="button" className="link" onClick={() => onGo({ kind, namespace, name })}>
      {words}
    </button>
  )
}
