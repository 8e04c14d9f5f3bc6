import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { FormSkeleton } from '../../generic/form/FormSkeleton.tsx'
import { ResourceForm } from '../../generic/form/ResourceForm.tsx'
import { formGroups, initialValues } from '../../generic/view/form-groups.ts'
import type { FormContext, FormValues } from '../../generic/view/form-view.ts'
import { type RemoteField, useMetadata } from '../../generic/view/metadata.ts'
import { ApiError, api, errorText } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import type { PageProps } from '../page-props.ts'
import { isMeta, memberships, requestGroups } from './request-asset-perm.ts'

export const routes = places(
  {
    name: 'RequestAssetPermTicketCreateUpdate',
    menu: 'tickets',
    order: 20,
    title: msg('Create ticket'),
    path: '/tickets/tickets/request-asset-perm/create',
    hidden: true,
    active: '/tickets/tickets',
  },
  {
    name: 'RequestAssetPermTicketCreateUpdate',
    menu: 'user-tickets',
    order: 20,
    title: msg('Create ticket'),
    path: '/tickets/tickets/request-asset-perm/create',
    hidden: true,
    active: '/tickets',
  },
)

const TYPE = 'apply_asset'
const OPEN = `${ticket.path}?action=open&type=${TYPE}`

/**
 * Asks for access to assets: a ticket for those whom the flow names (contract/tickets.yaml ticket
 * form).
 */
export function RequestAssetPerm({ title }: PageProps) {
  const metadata = useMetadata(OPEN)
  const remote = metadata.data?.actions.POST
  return (
    <PageFrame title={title} back>
      {memberships().length === 0 ? (
        <div className="table-failed" role="alert">
          {t('You belong to no organization yet. Ask an administrator to add you to one.')}
        </div>
      ) : remote ? (
        <Loaded remote={{ ...remote, ...remote.meta?.children }} />
      ) : metadata.isPending ? (
        <FormSkeleton groups={requestGroups} />
      ) : (
        <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
      )}
    </PageFrame>
  )
}

function Loaded({ remote }: { remote: Readonly<Record<string, RemoteField>> }) {
  const navigate = useNavigate()
  const leaving = useLeaveQuestion()
  const [context] = useState<FormContext>(() => ({ mode: 'create', row: undefined, query: new URLSearchParams() }))
  const groups = useMemo(() => formGroups({ groups: requestGroups }, remote), [remote])
  const initial = useMemo(
    () =>
      initialValues(
        groups.flatMap(({ fields }) => fields),
        context,
      ),
    [groups, context],
  )
  const home = `${addressOf('TicketList') ?? '/'}?activeTab=MyTicketList`
  return (
    <ResourceForm
      groups={groups}
      initial={initial}
      context={context}
      view={{ toBody: asTicket }}
      onDirty={leaving.setDirty}
      save={async (body) => {
        try {
          await api.post(`${ticket.path}open/?type=${TYPE}`, body, { quiet: true })
        } catch (error) {
          if (error instanceof ApiError && error.fields) throw withoutMeta(error)
          showError(`${t('Create error')}: ${errorText(error)}`)
          throw error
        }
        leaving.allow()
        showSuccess(t('Created'))
        void forget(ticket.path)
        void navigate(home)
        return 'leaving'
      }}
      extraButtons={<Button onClick={() => void navigate(home)}>{t('Cancel')}</Button>}
    />
  )
}

/** The form is flat; what is asked for goes into `meta`. */
function asTicket(values: FormValues): FormValues {
  const entries = Object.entries(values)
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isMeta(name))),
    type: TYPE,
    meta: Object.fromEntries(entries.filter(([name]) => isMeta(name))),
  }
}

/** Messages for what stands in `meta` belong to fields of the flat form. */
function withoutMeta(error: ApiError): ApiError {
  const { meta, ...others } = error.fields ?? {}
  const isObject = typeof meta === 'object' && meta !== null && !Array.isArray(meta)
  return new ApiError(
    error.status,
    { ...others, ...(isObject ? meta : meta === undefined ? {} : { meta }) },
    error.message,
  )
}

export const pages = { RequestAssetPermTicketCreateUpdate: RequestAssetPerm }
