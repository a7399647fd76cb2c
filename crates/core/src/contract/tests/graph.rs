use super::*;

fn member(type_: ComponentType, edges: &[(ComponentType, EdgeKind)]) -> Member {
    let edges = edges.iter().map(|(to, kind)| Edge { to: *to, kind: *kind }).collect();
    Member { type_, keep_running: false, edges }
}

const NEEDS: EdgeKind = EdgeKind::Needs(Revision::ReadyOnly);

fn shop() -> Graph {
    let members = vec![
        Member { keep_running: true, ..member(DATABASE, &[]) },
        member(SERVER, &[(DATABASE, NEEDS)]),
        member(PORTAL, &[(SERVER, EdgeKind::Needs(Revision::SameRevision)), (DATABASE, EdgeKind::OutlivedBy)]),
    ];
    Graph::new(members).unwrap()
}

// DEP-11, EDGE-2
#[test]
fn a_cycle_is_an_error_that_names_its_path() {
    let members = vec![
        member(PORTAL, &[(SERVER, NEEDS)]),
        member(SERVER, &[(DATABASE, EdgeKind::OutlivedBy)]),
        member(DATABASE, &[(SERVER, NEEDS)]),
    ];
    let error = Graph::new(members).unwrap_err().to_string();
    assert!(error.contains("cycle: Server -> Database -> Server;"), "{error}");
    let error = Graph::new(vec![member(SERVER, &[(SERVER, NEEDS)])]).unwrap_err().to_string();
    assert!(error.contains("cycle: Server -> Server;"), "{error}");
}

// DEP-11, EDGE-2, COND-08, CT-2
#[test]
fn an_edge_to_an_undeclared_type_and_a_type_that_is_declared_twice_are_errors() {
    let error = Graph::new(vec![member(SERVER, &[(DATABASE, NEEDS)])]).unwrap_err();
    let expected = GraphError::UnknownTarget { from: SERVER, to: DATABASE, declared: "Server".to_owned() };
    assert_eq!(error, expected);
    let error = Graph::new(vec![member(SERVER, &[]), member(SERVER, &[])]).unwrap_err();
    assert_eq!(error, GraphError::Duplicate { type_: SERVER });
    let cased = ComponentType::new("SERVER");
    let error = Graph::new(vec![member(SERVER, &[]), member(cased, &[])]).unwrap_err();
    assert_eq!(error, GraphError::SameName { first: SERVER, second: cased });
}

// EDGE-3
#[test]
fn a_teardown_deletes_depending_components_before_their_dependencies() {
    assert_eq!(shop().teardown(), [vec![PORTAL], vec![SERVER], vec![DATABASE]]);
    assert_eq!(shop().creation(), [vec![DATABASE], vec![SERVER], vec![PORTAL]]);
    assert_eq!(shop().depending(DATABASE).collect::<Vec<_>>(), [SERVER, PORTAL]);
    assert_eq!(shop().edges(PORTAL).len(), 2);
    let flat = Graph::new(vec![member(PORTAL, &[]), member(SERVER, &[])]).unwrap();
    assert_eq!(flat.teardown(), [vec![PORTAL, SERVER]]);
}

#[test]
fn the_drawings_have_each_component_and_each_edge() {
    let mermaid = "graph TD
    Database[\"Database<br/>keeps running\"]
    Server[\"Server\"]
    Portal[\"Portal\"]
    Server -->|needs| Database
    Portal -->|needs the same revision| Server
    Portal -.->|outlived by| Database
";
    assert_eq!(shop().to_mermaid(), mermaid);
    let dot = "digraph contract {
    node [shape=box];
    \"Database\" [label=\"Database\\nkeeps running\"];
    \"Server\" [label=\"Server\"];
    \"Portal\" [label=\"Portal\"];
    \"Server\" -> \"Database\" [label=\"needs\"];
    \"Portal\" -> \"Server\" [label=\"needs the same revision\"];
    \"Portal\" -> \"Database\" [label=\"outlived by\", style=dashed];
}
";
    assert_eq!(shop().to_dot(), dot);
}
