/** The bill of materials of an archive: CycloneDX 1.6, JSON. */
import { createHash } from 'node:crypto'
import { sha256, USES } from './components.mjs'

/** SPDX expressions have words between names; names with a reference are not of the list. */
const licenseChoice = (license) =>
  / |^\(|^LicenseRef-/.test(license) ? { expression: license } : { license: { id: license } }

/**
 * @param product version, processor and time of the commit (ISO 8601)
 * @param components as `components.mjs` answers them
 * @returns an object that is the same for the same archive
 */
export function billOfMaterials({ version, processor, time }, components) {
  const product = `pkg:generic/sallyport@${version}?arch=${processor}`
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: time,
      tools: { components: [{ type: 'application', name: 'npm run release', version }] },
      component: {
        type: 'application',
        'bom-ref': product,
        name: 'sallyport',
        version,
        purl: product,
        licenses: [{ license: { id: 'GPL-2.0-or-later' } }],
      },
    },
    components: components.map(componentOf),
    dependencies: [{ ref: product, dependsOn: [...new Set(components.map(refOf))] }],
  }
  // A number that the content decides, in the form of a random one.
  const sum = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const parts = [sum.slice(0, 8), sum.slice(8, 12), `4${sum.slice(13, 16)}`, `8${sum.slice(17, 20)}`, sum.slice(20, 32)]
  return { ...bill, serialNumber: `urn:uuid:${parts.join('-')}` }
}

/** One package may be there twice, with different versions in different folders: the address tells. */
const refOf = ({ purl, use }) => (use === 'console' ? `${purl}#console` : purl)

function componentOf(component) {
  const { name, version, purl, license, hash, files = [], use, inside = [] } = component
  return {
    type: use === 'beside' ? 'application' : 'library',
    'bom-ref': refOf(component),
    name,
    ...(version ? { version } : {}),
    purl,
    licenses: [licenseChoice(license)],
    // Of what was fetched; of the files themselves where nothing else is known.
    hashes: [hash ?? { alg: 'SHA-256', content: sha256(files[0]) }],
    properties: [{ name: 'sallyport:use', value: USES[use] }],
    ...(inside.length
      ? {
          components: inside.map((part) => ({
            type: 'library',
            'bom-ref': `${purl}#${part.name}`,
            name: part.name,
            version: part.version,
          })),
        }
      : {}),
  }
}
