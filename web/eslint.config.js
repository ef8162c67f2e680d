import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import { globSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** From the bottom to the top: a layer imports those below it. */
const LAYERS = ['lib', 'parts', 'live', 'screens', 'app'];
const SCREENS = globSync('src/screens/*/', { cwd: import.meta.dirname }).map((path) => `./${path.replace(/\/$/, '')}`);

const STYLE = 'JSXAttribute[name.name=/^styles?$/]';
const ONE_WAY =
  'Constant styles are classes of a CSS module or props of Mantine. Inline styles hold computed values alone.';

/** A path of this service that stands as it is. */
const ROOTED = ':matches(Literal[value=/^\\u002F/], TemplateLiteral[quasis.0.value.raw=/^\\u002F/])';
const BELOW = 'The service may be below a path: below() and load() of lib/navigation/base make its addresses.';
const PLAIN = 'JSXOpeningElement[name.name=/^(a|Anchor|Button)$/]:not(:has(JSXAttribute Identifier[name="Link"]))';
const PLAIN_HREF = `${PLAIN} > JSXAttribute[name.name="href"]`;

/** What a folder must not import, as zones of `import-x/no-restricted-paths`. */
const zones = [
  ...LAYERS.map((layer, index) => ({
    target: `./src/${layer}`,
    from: [...LAYERS.slice(index + 1), 'worker', 'main.tsx'].map((name) => `./src/${name}`),
    message: `Imports go down only: ${LAYERS.join(' < ')}.`,
  })),
  {
    target: './src/worker',
    from: LAYERS.slice(1).map((name) => `./src/${name}`),
    message: 'The service worker is one small script: it imports lib alone.',
  },
  ...SCREENS.map((screen) => ({
    target: screen,
    from: './src/screens',
    except: [screen.replace('./src/screens', '.')],
    message: 'No screen imports another one: what two screens share is in parts or lib.',
  })),
];

/** What the compiler does not see: layers, hooks, promises that nobody awaits, and HTML that bypasses React. */
export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'src/api', '*.config.*'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    plugins: { 'react-hooks': reactHooks, 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/extensions': ['.ts', '.tsx'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.tsx', '.js', '.css'],
          tsconfig: { configFile: `${import.meta.dirname}/tsconfig.json` },
        }),
      ],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@mantine/core',
              importNames: ['Modal', 'Drawer'],
              message: 'Those of @/parts/dialogs close one at a time.',
            },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'User-written text is never HTML.' },
        { property: 'dangerouslySetInnerHTML', message: 'User-written text is never HTML.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'User-written text is never HTML.' },
        { selector: `CallExpression[callee.name="fetch"] > ${ROOTED}`, message: BELOW },
        { selector: `NewExpression[callee.name="Request"] > ${ROOTED}`, message: BELOW },
        { selector: `CallExpression[callee.object.name="location"] > ${ROOTED}`, message: BELOW },
        { selector: `JSXAttribute[name.name="src"] > ${ROOTED}`, message: BELOW },
        { selector: `${PLAIN_HREF} > ${ROOTED}`, message: BELOW },
        { selector: `${PLAIN_HREF} > JSXExpressionContainer > ${ROOTED}`, message: BELOW },
        { selector: `${STYLE} Property > Literal.value`, message: ONE_WAY },
        { selector: `${STYLE} Property > UnaryExpression.value`, message: ONE_WAY },
        { selector: `${STYLE} > JSXExpressionContainer > Identifier`, message: ONE_WAY },
      ],
    },
  },
  {
    files: ['src/parts/dialogs.tsx', 'src/theme.ts', 'src/screens/deliveries/index.tsx'],
    rules: { 'no-restricted-imports': 'off' },
  },
  // A group of tests is a function as well.
  { files: ['**/*.test.ts'], rules: { 'max-lines-per-function': 'off' } },
);
