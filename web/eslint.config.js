import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** What the compiler does not see: hooks, promises that nobody awaits, and HTML that bypasses React. */
export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'src/api', '*.config.*'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    plugins: { 'react-hooks': reactHooks },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      'max-lines': ['error', 300],
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
      ],
    },
  },
  {
    files: ['src/parts/dialogs.tsx', 'src/theme.ts', 'src/screens/deliveries/index.tsx'],
    rules: { 'no-restricted-imports': 'off' },
  },
);
