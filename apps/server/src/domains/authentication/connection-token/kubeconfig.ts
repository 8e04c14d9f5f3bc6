import { invalid } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { CERTIFIED_NAME } from '../../../kernel/tls/own-certificate.ts'
import { hostOf } from './client-files.ts'
import { CONNECTION_TOKENS, findConnection, issueToken, tokenRequest } from './issue.ts'

/** Serves the file with which `kubectl` enters a cluster; it has a connection token in it. */
export function registerKubeconfig(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${CONNECTION_TOKENS}kubeconfig/`,
    config: {
      access: ['authenticated'],
      rootOrg: true,
      summary: 'Connection token: file with which kubectl enters a cluster',
      takes: tokenRequest,
    },
    handler: async (request, reply) => {
      const connection = await findConnection(kernel, request.call, tokenRequest.parse(request.body ?? {}))
      const port = kernel.config.kubernetesPort
      if (connection.systemUser.protocol !== 'k8s') throw invalid({ application: 'This is no Kubernetes cluster' })
      if (!port) throw invalid({ application: 'The port for Kubernetes is not switched on. Ask an administrator.' })
      const { certificate, isOwn } = await kernel.certificates.forClients('kubernetes')
      const host = hostOf(kernel, request)
      const name = connection.target.name
      reply.type('application/yaml').header('Content-Disposition', attachment(`${name}.kubeconfig`))
      return kubeconfig({
        name,
        server: `https://${host}:${port}`,
        certificate,
        servername: isOwn ? CERTIFIED_NAME : undefined,
        token: await issueToken(kernel, request.call, connection),
      })
    },
  })
}

/** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
function kubeconfig(of: {
  name: string
  server: string
  certificate: string
  servername: string | undefined
  token: string
}): string {
  const blocks = of.certificate.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const authority = Buffer.from(`${blocks.join('\n')}\n`).toString('base64')
  // Every text of JSON is one of YAML.
  const name = JSON.stringify(of.name)
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    server: ${JSON.stringify(of.server)}`,
    `    certificate-authority-data: ${authority}`,
    ...(of.servername ? [`    tls-server-name: ${JSON.stringify(of.servername)}`] : []),
    'users:',
    '- name: sallyport',
    '  user:',
    `    token: ${JSON.stringify(of.token)}`,
    'contexts:',
    `- name: ${name}`,
    '  context:',
    `    cluster: ${name}`,
    '    user: sallyport',
    '',
  ].join('\n')
}
