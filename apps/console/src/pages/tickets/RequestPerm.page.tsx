import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { draftName } from '../../generic/form/draft.ts'
import { FormSkeleton } from '../../generic/form/FormSkeleton.tsx'
import { LazyForm } from '../../generic/form/lazy-form.ts'
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
import { applicationRequest } from './requests/application-request.ts'
import { assetRequest } from './requests/asset-request.ts'
import { type AccessRequest, isMeta, memberships } from './requests/request-form.ts'

/** One page a kind of request, for administrators and for people. */
export const routes = [
  { menu: 'tickets' as const, active: '/tickets/tickets' },
  { menu: 'user-tickets' as const, active: '/tickets' },
].flatMap((shared) =>
  places(
    {
      ...shared,
      name: 'RequestAssetPermTicketCreateUpdate',
      order: 20,
      title: msg('Create ticket'),
      path: '/tickets/tickets/request-asset-perm/create',
      license: true,
      hidden: true,
    },
    {
      ...shared,
      name: 'RequestApplicationPermTicketCreateUpdate',
      order: 20,
      title: msg('Create ticket'),
      path: '/tickets/tickets/request-application-perm/create',
      license: true,
      hidden: true,
    },
  ),
)

interface RequestProps extends PageProps {
  request: AccessRequest
}

/**
 * Asks for access: a ticket for those whom the flow names (docs/rules/tickets.md#request_forms).
 */
function RequestPerm({ title, request }: RequestProps) {
  const metadata = useMetadata(`${ticket.path}?action=open&type=${request.type}`)
  const remote = metadata.data?.actions.POST
  const isFormThere = useFormCode()
  return (
    <PageFrame title={title} back>
      {memberships().length === 0 ? (
        <div className="table-failed" role="alert">
          {t('You belong to no organization yet. Ask an administrator to add you to one.')}
        </div>
      ) : remote && isFormThere ? (
        <Loaded request={request} remote={{ ...remote, ...remote.meta?.children }} />
      ) : remote || metadata.isPending ? (
        <FormSkeleton groups={request.groups} />
      ) : (
        <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
      )}
    </PageFrame>
  )
}

/** Whether the form can be drawn at once: the page would be blank while its code comes. */
function useFormCode(): boolean {
  const [isThere, setThere] = useState(false)
  useEffect(() => {
    const go = () => setThere(true)
    // What fails is reported where it is drawn.
    LazyForm.preload().then(go, go)
  }, [])
  return isThere
}

interface LoadedProps {
  request: AccessRequest
  remote: Readonly<Record<string, RemoteField>>
}

function Loaded({ request, remote }: LoadedProps) {
  const navigate = useNavigate()
  const leaving = useLeaveQuestion({ isKept: true })
  const [context] = useState<FormContext>(() => ({
    mode: 'create',
    row: undefined,
    query: new URLSearchParams(location.search),
  }))
  const groups = useMemo(() => formGroups({ groups: request.groups }, remote), [request, remote])
  const initial = useMemo(
    () =>
      initialValues(
        groups.flatMap(({ fields }) => fields),
        context,
      ),
    [groups, context],
  )
  const [draft] = useState(() => draftName(`${ticket.path}?type=${request.type}`))
  const home = `${addressOf('TicketList') ?? '/'}?activeTab=MyTicketList`
  return (
    <LazyForm
      groups={groups}
      initial={initial}
      context={context}
      view={{ toBody: (values) => asTicket(request, values) }}
      onDirty={leaving.setDirty}
      draft={draft}
      save={async (body) => {
        try {
          await api.post(`${ticket.path}open/?type=${request.type}`, body, { quiet: true })
        } catch (error) {
          if (error instanceof ApiError && error.fields) throw withoutMeta(request, error)
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
function asTicket({ type, toMeta = (meta) => meta }: AccessRequest, values: FormValues): FormValues {
  const entries = Object.entries(values)
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isMeta(name))),
    type,
    meta: toMeta(Object.fromEntries(entries.filter(([name]) => isMeta(name)))),
  }
}

/** Messages for what is in `meta` belong to fields of the flat form. */
function withoutMeta({ shownAs = {} }: AccessRequest, error: ApiError): ApiError {
  const { meta, ...others } = error.fields ?? {}
  const isObject = typeof meta === 'object' && meta !== null && !Array.isArray(meta)
  const inside = isObject ? Object.entries(meta).map(([name, message]) => [shownAs[name] ?? name, message]) : undefined
  return new ApiError(
    error.status,
    { ...others, ...(inside ? Object.fromEntries(inside) : meta === undefined ? {} : { meta }) },
    error.message,
  )
}

export function RequestAssetPerm({ title }: PageProps) {
  return <RequestPerm title={title} request={assetRequest} />
}

export function RequestApplicationPerm({ title }: PageProps) {
  return <RequestPerm title={title} request={applicationRequest} />
}

export const pages = {
  RequestAssetPermTicketCreateUpdate: RequestAssetPerm,
  RequestApplicationPermTicketCreateUpdate: RequestApplicationPerm,
}
