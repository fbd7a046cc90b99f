//! Assigned values may depend on each other, but not in a cycle.
//!
//! One search in a graph of variables and expressions: the first value of a variable leads to the
//! expression that `init` assigns, the next value to that of `next`, both to the one that is
//! assigned always; an expression leads to its operands, and variables in it to their values at the
//! same time. Linear in the size of all expressions.

use super::assign::written;
use super::problems::cycle;
use super::scope::Tables;
use crate::ir::{Expr, ExprId, VariableId};
use crate::syntax::ast::AssignmentKind;
use loris_base::Idx;

/// When an expression is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// In an initial state.
    First,
    /// In a step: `next(x)` are values of the next state.
    Step,
    /// In the state after a step.
    After,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    /// An initial value, or with `true` one after a step.
    Variable(bool, VariableId),
    Expr(When, ExprId),
}

/// Reports values that depend on themselves.
pub(super) fn check(tables: &Tables, problems: &mut super::problems::Problems<'_>) {
    let graph = Graph { tables };
    // 0 not seen, 1 on the path, 2 done
    let mut color = vec![0_u8; graph.len()];
    let mut path: Vec<(Node, Vec<Node>)> = Vec::new();
    for after in [false, true] {
        for variable in tables.variables.ids() {
            let start = Node::Variable(after, variable);
            if color[graph.number(start)] != 0 {
                continue;
            }
            color[graph.number(start)] = 1;
            path.push((start, graph.successors(start)));
            while let Some((at, rest)) = path.last_mut() {
                let Some(to) = rest.pop() else {
                    color[graph.number(*at)] = 2;
                    path.pop();
                    continue;
                };
                match color[graph.number(to)] {
                    0 => {
                        color[graph.number(to)] = 1;
                        path.push((to, graph.successors(to)));
                    }
                    1 => {
                        let from = path.iter().position(|&(at, _)| at == to).unwrap_or(0);
                        let names: Vec<String> =
                            path[from..].iter().filter_map(|&(node, _)| graph.name(node)).collect();
                        let message = format!(
                            "values depend on each other in a cycle: {}",
                            cycle(names.iter().map(String::as_str))
                        );
                        // the first node of the cycle that was met may be an expression that is
                        // used elsewhere, too
                        let variable = path[from..].iter().find_map(|&(node, _)| match node {
                            Node::Variable(_, variable) => Some(variable),
                            Node::Expr(..) => None,
                        });
                        if let Some(variable) = variable {
                            problems.error(tables.variables[variable].span, message);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

struct Graph<'a> {
    tables: &'a Tables,
}

impl Graph<'_> {
    fn len(&self) -> usize {
        3 * self.tables.build.exprs().len() + 2 * self.tables.variables.len()
    }

    fn number(&self, node: Node) -> usize {
        let exprs = self.tables.build.exprs().len();
        match node {
            Node::Expr(when, expr) => when as usize * exprs + expr.index(),
            Node::Variable(after, variable) => {
                3 * exprs + usize::from(after) * self.tables.variables.len() + variable.index()
            }
        }
    }

    fn successors(&self, node: Node) -> Vec<Node> {
        match node {
            Node::Variable(after, variable) => {
                let variable = &self.tables.variables[variable];
                let (own, when) =
                    if after { (variable.next, When::Step) } else { (variable.init, When::First) };
                let always = if after { When::After } else { When::First };
                let own = own.map(|expr| Node::Expr(when, expr));
                own.into_iter().chain(variable.current.map(|expr| Node::Expr(always, expr))).collect()
            }
            Node::Expr(when, expr) => match *self.tables.build.get(expr) {
                Expr::Variable(variable) if when != When::Step => {
                    vec![Node::Variable(when == When::After, variable)]
                }
                Expr::Next(variable) => vec![Node::Variable(true, variable)],
                _ => {
                    let mut list = Vec::new();
                    self.tables.build.operands(expr, |operand| list.push(Node::Expr(when, operand)));
                    list
                }
            },
        }
    }

    fn name(&self, node: Node) -> Option<String> {
        let Node::Variable(after, variable) = node else { return None };
        let variable = &self.tables.variables[variable];
        let kind = match (variable.current, after) {
            (Some(_), _) => AssignmentKind::Current,
            (None, true) => AssignmentKind::Next,
            (None, false) => AssignmentKind::Init,
        };
        Some(written(kind, &variable.name))
    }
}
